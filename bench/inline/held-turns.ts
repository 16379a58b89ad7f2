import type { BenchContext, Measure } from '../bench.ts';
import { readTicks } from '../calls/gateway-ticks.ts';
import { difference, type Histogram, quantileOf } from '../metrics-histogram.ts';
import { mainThreadCpuSeconds } from '../process-usage.ts';
import { quantile } from '../quantiles.ts';
import { measureRounds } from '../rounds.ts';
import { type HeldMemory, memoryOfTurns } from './held-memory.ts';
import { readSteadily } from './steady-reads.ts';
import { WritingPeople } from './writing-people.ts';

const SIP_CALLS = 50;
const CONVERSATIONS = 200;
const SETTLE_MS = 2_000;
const SECONDS = 10;
const QUICK_SECONDS = 5;
/** From the messages, over the second in which more may come, until the last turn is under way. */
const BEGIN_SECONDS = 4;
/** One step of the histogram: ten bounds per decade. */
const ONE_STEP = 1.3;
const MS_PER_S = 1_000;
const BYTES_PER_KB = 1_000;

/** Lateness of all ticks, how long reads by REST took in milliseconds, and CPU time of the main thread in cores. */
interface Spell {
  readonly ticks: Histogram;
  readonly reads: readonly number[];
  readonly cores: number;
}

interface Round {
  readonly quiet: Spell;
  readonly beginning: Spell;
  readonly beside: Spell;
  readonly memory: HeldMemory;
}

/** What many turns that wait for their model cost everybody else, in turns with spells without any. */
export async function heldTurns(context: BenchContext): Promise<Measure[]> {
  const people = await WritingPeople.start(context.cores, SIP_CALLS);
  try {
    // What is new is compiled first.
    await people.write(CONVERSATIONS);
    await people.endTurns();
    return measuresOf(await measureRounds(context, () => measure(context, people), describe));
  } finally {
    await people.stop();
  }
}

async function measure(context: BenchContext, people: WritingPeople): Promise<Round> {
  const seconds = context.quick ? QUICK_SECONDS : SECONDS;
  await pause(SETTLE_MS);
  const quiet = await spellOf(context, people, seconds);
  const [beginning] = await Promise.all([
    spellOf(context, people, BEGIN_SECONDS),
    people.write(CONVERSATIONS),
  ]);
  await pause(SETTLE_MS);
  const beside = await spellOf(context, people, seconds);
  if (people.held !== CONVERSATIONS) throw new Error(`${people.held} of ${CONVERSATIONS} turns were held`);
  await people.endTurns();
  await pause(SETTLE_MS);
  return { quiet, beginning, beside, memory: await memoryOfTurns(people) };
}

async function spellOf(
  { cores }: BenchContext,
  { gateway, callId }: WritingPeople,
  seconds: number,
): Promise<Spell> {
  const { lateness } = await readTicks(gateway);
  const url = `${gateway.baseUrl}/api/call/${callId}`;
  const cpuSeconds = mainThreadCpuSeconds(gateway.pid);
  const startMs = performance.now();
  const reads = await readSteadily(cores.generators, url, gateway.agentKey, seconds);
  const used = mainThreadCpuSeconds(gateway.pid) - cpuSeconds;
  return {
    ticks: difference(lateness, (await readTicks(gateway)).lateness),
    reads,
    cores: used / ((performance.now() - startMs) / MS_PER_S),
  };
}

function measuresOf(rounds: readonly Round[]): Measure[] {
  const compared = (what: string, figureOf: (spell: Spell) => number): Measure[] => {
    const anchor = { name: 'without turns', values: rounds.map(({ quiet }) => figureOf(quiet)) };
    const measure = (when: string, of: (round: Round) => Spell) => ({
      name: `${what} ${when}`,
      unit: 'ms',
      ours: rounds.map((round) => figureOf(of(round))),
      anchor,
    });
    return [
      {
        ...measure(`beside ${CONVERSATIONS} turns`, ({ beside }) => beside),
        target: { atMost: ONE_STEP },
      },
      measure(`while ${CONVERSATIONS} turns begin`, ({ beginning }) => beginning),
    ];
  };
  const memory = (name: string, bytesOf: (held: HeldMemory) => number, note: string): Measure => ({
    name,
    unit: 'KB',
    ours: rounds.map((round) => bytesOf(round.memory) / BYTES_PER_KB),
    note,
  });
  return [
    ...compared('REST p99', ({ reads }) => quantile(reads, 0.99)),
    ...compared(`tick lateness p99 of ${SIP_CALLS} SIP calls`, ({ ticks }) => tickMs(ticks, 0.99)),
    ...compared(`tick lateness p99.9 of ${SIP_CALLS} SIP calls`, ({ ticks }) => tickMs(ticks, 0.999)),
    {
      name: `CPU time of the main thread per held turn`,
      unit: 'ms/s',
      ours: rounds.map(({ quiet, beside }) => ((beside.cores - quiet.cores) * MS_PER_S) / CONVERSATIONS),
    },
    memory('memory per conversation with a turn', ({ heap }) => heap, 'heap and buffers of the main thread'),
    memory('resident memory per conversation with a turn', ({ resident }) => resident, 'of the process'),
    memory('memory per conversation after its turn', ({ left }) => left, 'heap and buffers'),
  ];
}

function tickMs(ticks: Histogram, share: number): number {
  return quantileOf(ticks, share) * MS_PER_S;
}

function describe({ quiet, beginning, beside, memory }: Round): string {
  const show = ({ ticks, reads, cores }: Spell): string =>
    [quantile(reads, 0.99), tickMs(ticks, 0.99), tickMs(ticks, 0.999), cores]
      .map((value) => value.toFixed(2))
      .join('/');
  const { heap, resident, left } = memory;
  const kb = [heap, resident, left].map((bytes) => (bytes / BYTES_PER_KB).toFixed(1)).join('/');
  return (
    `without ${show(quiet)}, beginning ${show(beginning)}, beside ${show(beside)} ms ` +
    `(REST p99, ticks p99/p99.9, cores); ${kb} KB per conversation (heap, resident, heap after)`
  );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
