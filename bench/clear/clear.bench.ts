import { FRAME_MS } from '../../src/base/frame.ts';
import type { Bench, BenchContext } from '../bench.ts';
import { knownDensity } from '../density.ts';
import { latestTick, tickPhase } from '../latency/against-ticks.ts';
import { probeCall, takesMs } from '../latency/probe.ts';
import { LoadedGateway } from '../loaded-gateway.ts';
import { quantile } from '../quantiles.ts';
import { median } from '../report/statistics.ts';

const LOAD = 0.7;

interface Round {
  /** From `clear` to the last packet with the agent's voice, in milliseconds. */
  readonly total: readonly number[];
  /** Of that, what is beyond the first tick after `clear`. */
  readonly beyondTick: readonly number[];
}

export const clearBench: Bench = {
  name: 'clear',
  title: 'from `clear` to the last sample of the agent on the wire, at 70 % of the density',
  async run(context) {
    const calls = Math.round(knownDensity().calls * LOAD);
    const rounds = await clearRounds(context, calls);
    const totals = [0.5, 0.99].map((share) => median(rounds.map(({ total }) => quantile(total, share))));
    return [
      {
        name: `clear → silence, beyond the tick, p99 (${calls} calls)`,
        unit: 'ms',
        ours: rounds.map(({ beyondTick }) => quantile(beyondTick, 0.99)),
        target: { atMost: FRAME_MS },
        note: `in all p50/p99 ${totals.map((ms) => ms.toFixed(1)).join('/')} ms; the last 5 ms fade out`,
      },
    ];
  },
};

async function clearRounds(context: BenchContext, calls: number): Promise<Round[]> {
  const { cores, quick, progress } = context;
  const loaded = await LoadedGateway.start(cores);
  try {
    const call = await loaded.probe();
    const idle = await probeCall('talk', loaded, call, { prefix: cores.generators, seconds: 4 });
    const phaseUs = tickPhase(idle.packetsUs);
    await loaded.grow(calls);
    const rounds: Round[] = [];
    for (let round = 1; round <= context.rounds; round++) {
      const run = { prefix: cores.generators, seconds: quick ? 10 : 30 };
      const { cleared } = await probeCall('clear', loaded, call, run);
      const beyondTick = cleared.map(({ sentUs, cameUs }) => beyondTickMs(sentUs, cameUs, phaseUs));
      rounds.push({ total: takesMs(cleared), beyondTick });
      progress(
        `round ${round}: ${cleared.length} clears, p99 ${quantile(beyondTick, 0.99).toFixed(1)} ms beyond the tick`,
      );
    }
    return rounds;
  } finally {
    await loaded.stop();
  }
}

/** How long after the first tick that could know of the clear the last loud packet came; nothing came: 0. */
function beyondTickMs(sentUs: number, cameUs: number, phaseUs: number): number {
  const nextTickUs = latestTick(sentUs, phaseUs) + FRAME_MS * 1_000;
  return Math.max(0, cameUs - nextTickUs) / 1_000;
}
