import type { Bench, BenchContext, Measure } from '../bench.ts';
import { OurGateway } from '../calls/our-gateway.ts';
import { cpuSeconds, threadWakeUps, watchCores } from '../process-usage.ts';
import { measureRounds } from '../rounds.ts';

const FEW = 10;
/** What a call costs is the difference between these and a few. */
const MORE = 50;
/** Compiler and garbage collector are busy with the gateway's start, and with the calls' coming, for so long. */
const SETTLE_MS = 20_000;
const SECONDS = 20;
const QUICK_SECONDS = 8;

/** Shares of one core: without calls, with a few, with more. */
interface Round {
  readonly empty: number;
  readonly few: number;
  readonly more: number;
  /** Of all threads, a second, without calls. */
  readonly wakeUps: number;
}

export const idleBench: Bench = {
  name: 'idle',
  title: 'what a gateway with few calls or none costs',
  async run(context) {
    const rounds = await measureRounds(context, () => measure(context), describe);
    return measuresOf(rounds);
  },
};

async function measure({ cores, quick }: BenchContext): Promise<Round> {
  const seconds = quick ? QUICK_SECONDS : SECONDS;
  const system = await OurGateway.start(cores);
  try {
    await pause(SETTLE_MS);
    const wokenBefore = threadWakeUps(system.pid);
    const empty = await coresOf(system, seconds);
    const wakeUps = (threadWakeUps(system.pid) - wokenBefore) / seconds;
    const few = await coresWith(FEW, system, seconds);
    return { empty, wakeUps, few, more: await coresWith(MORE, system, seconds) };
  } finally {
    await system.stop();
  }
}

async function coresWith(calls: number, system: OurGateway, seconds: number): Promise<number> {
  await system.grow(calls);
  await pause(SETTLE_MS);
  return coresOf(system, seconds);
}

async function coresOf({ pid }: OurGateway, seconds: number): Promise<number> {
  const coresUsed = watchCores(() => cpuSeconds(pid));
  await pause(seconds * 1_000);
  return coresUsed();
}

/** What the first calls cost beyond what each of the others does. */
function fixedCost({ few, more }: Round): number {
  return few - (FEW * (more - few)) / (MORE - FEW);
}

function measuresOf(rounds: readonly Round[]): Measure[] {
  const percent = (value: (round: Round) => number) => ({
    unit: '% of a core',
    ours: rounds.map((round) => value(round) * 100),
  });
  return [
    { name: 'no calls', ...percent(({ empty }) => empty) },
    { name: 'wake-ups of all threads, no calls', unit: '/s', ours: rounds.map(({ wakeUps }) => wakeUps) },
    {
      name: `fixed cost with ${FEW} calls`,
      ...percent(fixedCost),
      target: { atMost: 3 },
      note: `beyond what calls cost each, by ${FEW} and ${MORE} of them; both sides talk all the time`,
    },
    { name: `${FEW} calls, all of it`, ...percent(({ few }) => few) },
    { name: `${MORE} calls, all of it`, ...percent(({ more }) => more) },
  ];
}

function describe(round: Round): string {
  const { empty, few, more, wakeUps } = round;
  const percent = [empty, few, more, fixedCost(round)].map((cores) => (cores * 100).toFixed(2));
  return `% of a core: none ${percent[0]}, ${FEW} calls ${percent[1]}, ${MORE} calls ${percent[2]}, fixed ${percent[3]}; ${wakeUps.toFixed(0)} wake-ups/s without calls`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
