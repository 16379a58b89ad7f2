import { SLOT_MS } from '../../src/base/frame.ts';
import type { Bench, BenchContext, Measure } from '../bench.ts';
import { type Density, knownDensity } from '../density.ts';
import { LoadedGateway, type ProbedCall } from '../loaded-gateway.ts';
import { cpuSeconds, watchCores } from '../process-usage.ts';
import { quantile } from '../quantiles.ts';
import { median } from '../report/statistics.ts';
import { sleepBeside } from '../tick/sleeper.ts';
import { againstTicks, callPhase, tickPhase } from './against-ticks.ts';
import { phoneToPhone } from './phone-to-phone.ts';
import { probeCall, type Sightings, takesMs } from './probe.ts';

const LOADS = [0.1, 0.7];
/** The probe's first three seconds are for queues to settle. */
const SETTLE_S = 3;
const SLOT_US = SLOT_MS * 1_000;

/** One round under one load; times in milliseconds. */
interface Round {
  readonly inTotal: readonly number[];
  /** From the tick on, which ends the jitter buffer's part. */
  readonly inAdded: readonly number[];
  readonly outTotal: readonly number[];
  readonly machine: readonly number[];
  /** What the gateway used: a share of the calls found in a better hour may fill the core. */
  readonly gatewayCores: number;
}

export const latencyBench: Bench = {
  name: 'latency',
  title: 'an impulse through the gateway, at 10 % and 70 % of its density',
  async run(context) {
    const density = knownDensity();
    const { calls, source } = density;
    context.progress(`density: ${calls} calls (${source})`);
    const rounds = await agentRounds(context, density);
    const measures = LOADS.flatMap((load, i) => agentMeasures(load, calls, rounds[i] ?? []));
    return [...measures, ...(await phoneToPhone(context, calls, LOADS))];
  },
};

async function agentRounds(context: BenchContext, { calls }: Density): Promise<Round[][]> {
  const loaded = await LoadedGateway.start(context.cores);
  try {
    const baseUs = await measureBase(context, loaded);
    const results: Round[][] = [];
    for (const load of LOADS) {
      const target = Math.round(calls * load);
      // In the middle of the others, not first or last in their tick.
      await loaded.grow(Math.round((loaded.calls + target) / 2));
      const call = await loaded.probe();
      await loaded.grow(target);
      const rounds: Round[] = [];
      for (let round = 1; round <= context.rounds; round++) {
        rounds.push(await measure(context, loaded, call, baseUs));
        context.progress(`${target} calls, round ${round}: ${describe(rounds.at(-1) as Round)}`);
      }
      results.push(rounds);
    }
    return results;
  } finally {
    await loaded.stop();
  }
}

/** The time of a tick: while the gateway has only one call, its packets leave right after it is due. */
async function measureBase({ cores }: BenchContext, loaded: LoadedGateway): Promise<number> {
  const run = { prefix: cores.generators, seconds: 4 };
  const { packetsUs } = await probeCall('talk', loaded, await loaded.probe(), run);
  return tickPhase(packetsUs);
}

async function measure(
  { cores, quick }: BenchContext,
  loaded: LoadedGateway,
  call: ProbedCall,
  baseUs: number,
): Promise<Round> {
  const seconds = SETTLE_S + (quick ? 6 : 20);
  const coresUsed = watchCores(() => cpuSeconds(loaded.gateway.pid));
  const [seen, machine] = await Promise.all([
    probeCall('talk', loaded, call, { prefix: cores.generators, seconds }),
    sleepBeside(cores.gateway, seconds),
  ]);
  const gatewayCores = coresUsed();
  return { ...timesOf(seen, callPhase(seen.packetsUs, baseUs, SLOT_US)), machine, gatewayCores };
}

function timesOf(seen: Sightings, phaseUs: number): Pick<Round, 'inTotal' | 'inAdded' | 'outTotal'> {
  return {
    inTotal: takesMs(seen.heard),
    inAdded: againstTicks(seen.framesUs, phaseUs).map((us) => us / 1_000),
    outTotal: takesMs(seen.said),
  };
}

function agentMeasures(load: number, calls: number, rounds: readonly Round[]): Measure[] {
  const at = `at ${load * 100} % (${Math.round(calls * load)} calls)`;
  const each = (values: (round: Round) => number): number[] => rounds.map(values);
  const beyondMachine = (values: (round: Round) => readonly number[], share: number): number[] =>
    each((round) => Math.max(0, quantile(values(round), share) - quantile(round.machine, 0.99)));
  const added = ({ inAdded }: Round): readonly number[] => inAdded;
  const out = ({ outTotal }: Round): readonly number[] => outTotal;
  const raw = (values: (round: Round) => readonly number[]): string =>
    `raw p50/p99/p99.9 ${[0.5, 0.99, 0.999].map((share) => median(each((round) => quantile(values(round), share))).toFixed(2)).join('/')} ms`;
  const machine =
    `C thread p99 ${median(each((round) => quantile(round.machine, 0.99))).toFixed(2)} ms; ` +
    `gateway ${median(each(({ gatewayCores }) => gatewayCores)).toFixed(2)} cores`;
  const held = each((round) => median(round.inTotal) - median(round.inAdded));
  return [
    {
      name: `RTP → WebSocket p50 ${at}`,
      unit: 'ms',
      ours: each(({ inAdded }) => quantile(inAdded, 0.5)),
      target: { atMost: 0.5 },
      note: `${raw(added)}; jitter buffer apart`,
    },
    {
      name: `RTP → WebSocket p99 less the C thread's ${at}`,
      unit: 'ms',
      ours: beyondMachine(added, 0.99),
      target: { atMost: 2 },
      note: machine,
    },
    { name: `jitter buffer ${at}`, unit: 'ms', ours: held, note: 'p50, up to its tick' },
    {
      name: `WebSocket → RTP p50 less the C thread's p99 ${at}`,
      unit: 'ms',
      ours: beyondMachine(out, 0.5),
      target: { atMost: 10 },
      note: raw(out),
    },
    {
      name: `WebSocket → RTP p99 less the C thread's ${at}`,
      unit: 'ms',
      ours: beyondMachine(out, 0.99),
      target: { atMost: 21 },
      note: machine,
    },
  ];
}

function describe({ inAdded, outTotal, machine, gatewayCores }: Round): string {
  const show = (values: readonly number[]): string =>
    [0.5, 0.99].map((share) => quantile(values, share).toFixed(2)).join('/');
  return `in +${show(inAdded)}, out ${show(outTotal)}, C thread ${show(machine)} ms (p50/p99), ${gatewayCores.toFixed(2)} cores`;
}
