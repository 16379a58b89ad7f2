import { hammer } from '../autocannon.ts';
import type { Bench, BenchContext } from '../bench.ts';
import { knownDensity } from '../density.ts';
import { LoadedGateway } from '../loaded-gateway.ts';
import { difference, type Histogram, quantileOf, readHistogram } from '../metrics-histogram.ts';
import { quantile } from '../quantiles.ts';
import { sleepBeside } from './sleeper.ts';

const LOAD = 0.7;
/** Ten minutes in all, shared out among the rounds. */
const SECONDS = 600;
const QUICK_SECONDS = 30;
const CONNECTIONS = 10;
const SETTLE_MS = 3_000;
const LATENESS = 'svc_engine_tick_lateness_seconds';
const MS_PER_S = 1_000;

interface Round {
  readonly ticks: Histogram;
  readonly machine: readonly number[];
  readonly requestsPerSecond: number;
}

export const tickBench: Bench = {
  name: 'tick',
  title: "the engine's clock at 70 % of the density, with REST hammered on the main thread",
  async run(context) {
    const calls = Math.round(knownDensity().calls * LOAD);
    const rounds = await tickRounds(context, calls);
    const at = (share: number) => ({
      unit: 'ms',
      ours: rounds.map(({ ticks }) => quantileOf(ticks, share) * MS_PER_S),
      anchor: {
        name: 'C thread on the same core',
        values: rounds.map(({ machine }) => quantile(machine, share)),
      },
    });
    const requests = rounds.map(({ requestsPerSecond }) => requestsPerSecond.toFixed(0)).join(', ');
    const note = `${calls} calls, REST requests a second: ${requests}`;
    return [
      { name: 'tick lateness p99.9', ...at(0.999), target: { atMost: 1.5 }, note },
      { name: 'tick lateness p99', ...at(0.99) },
      { name: 'tick lateness p50', ...at(0.5) },
    ];
  },
};

async function tickRounds(context: BenchContext, calls: number): Promise<Round[]> {
  const loaded = await LoadedGateway.start(context.cores);
  try {
    const { callId } = await loaded.probe();
    await loaded.grow(calls);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const seconds = (context.quick ? QUICK_SECONDS : SECONDS) / context.rounds;
    const rounds: Round[] = [];
    for (let round = 1; round <= context.rounds; round++) {
      rounds.push(await measure(context, loaded, callId, seconds));
      context.progress(`round ${round}: ${describe(rounds.at(-1) as Round)}`);
    }
    return rounds;
  } finally {
    await loaded.stop();
  }
}

async function measure(
  { cores }: BenchContext,
  { gateway }: LoadedGateway,
  callId: string,
  seconds: number,
): Promise<Round> {
  const before = await lateness(gateway);
  const [machine, requests] = await Promise.all([
    sleepBeside(cores.gateway, seconds),
    hammer(cores.generators, {
      url: `${gateway.baseUrl}/api/call/${callId}`,
      method: 'GET',
      headers: { 'x-api-key': gateway.agentKey },
      connections: CONNECTIONS,
      seconds: Math.round(seconds),
    }),
  ]);
  const failed = requests['4xx'] + requests['5xx'] + requests.errors + requests.timeouts;
  if (failed > 0) throw new Error(`${failed} requests failed under load`);
  const requestsPerSecond = requests['2xx'] / requests.duration;
  return { ticks: difference(before, await lateness(gateway)), machine, requestsPerSecond };
}

async function lateness(gateway: LoadedGateway['gateway']): Promise<Histogram> {
  return readHistogram(`${(await gateway.api(null).get('/metrics')).body}`, LATENESS);
}

function describe({ ticks, machine, requestsPerSecond }: Round): string {
  const [ours, theirs] = [quantileOf(ticks, 0.999) * MS_PER_S, quantile(machine, 0.999)];
  return `p99.9 ${ours.toFixed(2)} ms, C thread ${theirs.toFixed(2)} ms, ${requestsPerSecond.toFixed(0)} requests/s`;
}
