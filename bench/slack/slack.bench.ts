import type { Bench, BenchContext } from '../bench.ts';
import { OurGateway } from '../calls/our-gateway.ts';
import { knownDensity } from '../density.ts';
import { quantile } from '../quantiles.ts';
import { median } from '../report/statistics.ts';
import { EventSource } from './event-source.ts';

const LOAD = 0.2;
const EVENTS_PER_SECOND = 200;
/** Slack repeats an event that is not acknowledged in this time. */
const SLACK_WAITS_MS = 3_000;

export const slackBench: Bench = {
  name: 'slack',
  title: `${EVENTS_PER_SECOND} events of Slack a second, each acknowledged once it is stored, at ${LOAD * 100} % of the density`,
  async run(context) {
    const calls = Math.round(knownDensity().calls * LOAD);
    const rounds = await eventRounds(context, calls);
    const [p50 = 0, longest = 0] = [0.5, 1].map((share) =>
      median(rounds.map((times) => quantile(times, share))),
    );
    return [
      {
        name: `event → acknowledgement, p99 (${calls} calls)`,
        unit: 'ms',
        ours: rounds.map((times) => quantile(times, 0.99)),
        target: { atMost: SLACK_WAITS_MS },
        note: `p50 ${p50.toFixed(1)} ms, longest ${longest.toFixed(0)} ms; Slack waits 3 s`,
      },
    ];
  },
};

/** Times to the acknowledgements, in milliseconds, by round. */
async function eventRounds({ cores, rounds, quick, progress }: BenchContext, calls: number) {
  const source = await EventSource.start();
  const system = await OurGateway.start(cores, undefined, source.settings);
  try {
    await source.register(system.gateway);
    await system.grow(calls);
    const measured: number[][] = [];
    for (let round = 1; round <= rounds; round++) {
      const times = await source.post(EVENTS_PER_SECOND, quick ? 10 : 30);
      measured.push(times);
      progress(`round ${round}: ${times.length} events, p99 ${quantile(times, 0.99).toFixed(1)} ms`);
    }
    return measured;
  } finally {
    await system.stop();
    await source.stop();
  }
}
