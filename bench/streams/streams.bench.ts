import type { Bench, BenchContext, Measure } from '../bench.ts';
import { OurGateway } from '../calls/our-gateway.ts';
import { cpuSeconds, mainThreadCpuSeconds } from '../process-usage.ts';
import { measureRounds } from '../rounds.ts';

/** On each stream thread: what a wake-up costs is shared by the calls of a slot. */
const CALLS = 120;
/** Two stream threads and the engine want more than one core. Only CPU times are compared. */
const ALL_CORES = { gateway: [], generators: [] } as const;
const TICKS_PER_SECOND = 50;
/** Compiler and garbage collector are busy with the calls' coming for so long. */
const SETTLE_MS = 8_000;
const SECONDS = 20;
const QUICK_SECONDS = 8;

/** CPU time in µs a call and tick. */
interface Cost {
  readonly main: number;
  readonly streams: number;
  readonly all: number;
}

/** With no stream thread, one and two. */
type Round = readonly [Cost, Cost, Cost];

export const streamsBench: Bench = {
  name: 'streams',
  title: 'what call WebSockets cost the main thread, and threads of their own',
  async run(context) {
    const rounds = await measureRounds(context, () => measure(context), describe);
    return measuresOf(rounds);
  },
};

async function measure(context: BenchContext): Promise<Round> {
  return [await costWith(0, context), await costWith(1, context), await costWith(2, context)];
}

async function costWith(threads: number, { quick }: BenchContext): Promise<Cost> {
  const seconds = quick ? QUICK_SECONDS : SECONDS;
  const calls = CALLS * Math.max(1, threads);
  const system = await OurGateway.start(ALL_CORES, undefined, { SVC_STREAM_THREADS: `${threads}` });
  try {
    await system.grow(calls);
    await pause(SETTLE_MS);
    const before = await used(system);
    const beganMs = performance.now();
    await pause(seconds * 1_000);
    const ticks = calls * TICKS_PER_SECOND * ((performance.now() - beganMs) / 1_000);
    const after = await used(system);
    const cost = (of: (cpu: Cost) => number) => ((of(after) - of(before)) * 1e6) / ticks;
    return {
      main: cost(({ main }) => main),
      streams: cost(({ streams }) => streams),
      all: cost(({ all }) => all),
    };
  } finally {
    await system.stop();
  }
}

/** CPU seconds so far. */
async function used({ pid, gateway }: OurGateway): Promise<Cost> {
  const streams = (await gateway.metric('svc_stream_threads_cpu_seconds_total')) ?? 0;
  return { main: mainThreadCpuSeconds(pid), streams, all: cpuSeconds(pid) };
}

function measuresOf(rounds: readonly Round[]): Measure[] {
  const cost = (name: string, value: (round: Round) => number) => ({
    name,
    unit: 'µs a call and tick',
    ours: rounds.map(value),
  });
  return [
    cost('main thread, no stream thread', ([none]) => none.main),
    { ...cost('main thread, one stream thread', ([, one]) => one.main), target: { atMost: 3 } },
    cost('one stream thread', ([, one]) => one.streams),
    cost('two stream threads', ([, , two]) => two.streams),
    {
      name: 'two stream threads carry, of what one does',
      unit: '×',
      ours: rounds.map(([, one, two]) => (2 * one.streams) / two.streams),
      target: { atLeast: 1.9 },
      note: `by what a call takes of them, with ${CALLS} calls on each`,
    },
    cost('all threads, no stream thread', ([none]) => none.all),
    cost('all threads, one stream thread', ([, one]) => one.all),
  ];
}

function describe(round: Round): string {
  const costs = round.map(
    ({ main, streams, all }) => `${main.toFixed(1)}/${streams.toFixed(1)}/${all.toFixed(1)}`,
  );
  return `main/streams/all µs a call and tick: none ${costs[0]}, one ${costs[1]}, two ${costs[2]}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
