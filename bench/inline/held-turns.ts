import type { BenchContext, Measure } from '../bench.ts';
import { readTicks } from '../calls/gateway-ticks.ts';
import { difference, type Histogram, quantileOf } from '../metrics-histogram.ts';
import { quantile } from '../quantiles.ts';
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

/** Lateness of all ticks, and how long reads by REST took in milliseconds. */
interface Spell {
  readonly ticks: Histogram;
  readonly reads: readonly number[];
}

/** One round; memory in bytes per conversation, beyond that before the round. */
interface Round {
  readonly quiet: Spell;
  readonly beginning: Spell;
  readonly beside: Spell;
  readonly heldBytes: number;
  readonly leftBytes: number;
}

/** What many turns that wait for their model cost everybody else, in turns with spells without any. */
export async function heldTurns(context: BenchContext): Promise<Measure[]> {
  const people = await WritingPeople.start(context.cores, SIP_CALLS);
  try {
    // What is new is compiled first.
    await people.write(CONVERSATIONS);
    await people.endTurns();
    const rounds: Round[] = [];
    for (let round = 1; round <= context.rounds; round++) {
      rounds.push(await measure(context, people));
      context.progress(`held turns, round ${round}: ${describe(rounds.at(-1) as Round)}`);
    }
    return measuresOf(rounds);
  } finally {
    await people.stop();
  }
}

async function measure(context: BenchContext, people: WritingPeople): Promise<Round> {
  const seconds = context.quick ? QUICK_SECONDS : SECONDS;
  const before = await people.residentBytes();
  await pause(SETTLE_MS);
  const quiet = await spellOf(context, people, seconds);
  const [beginning] = await Promise.all([
    spellOf(context, people, BEGIN_SECONDS),
    people.write(CONVERSATIONS),
  ]);
  await pause(SETTLE_MS);
  const beside = await spellOf(context, people, seconds);
  const held = await people.residentBytes();
  if (people.held !== CONVERSATIONS) throw new Error(`${people.held} of ${CONVERSATIONS} turns were held`);
  await people.endTurns();
  await pause(SETTLE_MS);
  const left = await people.residentBytes();
  return {
    ...{ quiet, beginning, beside },
    heldBytes: (held - before) / CONVERSATIONS,
    leftBytes: (left - before) / CONVERSATIONS,
  };
}

async function spellOf(
  { cores }: BenchContext,
  { gateway, callId }: WritingPeople,
  seconds: number,
): Promise<Spell> {
  const { lateness } = await readTicks(gateway);
  const url = `${gateway.baseUrl}/api/call/${callId}`;
  const reads = await readSteadily(cores.generators, url, gateway.agentKey, seconds);
  return { ticks: difference(lateness, (await readTicks(gateway)).lateness), reads };
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
  const memory = (name: string, bytesOf: (round: Round) => number, note: string): Measure => ({
    name,
    unit: 'KB',
    ours: rounds.map((round) => bytesOf(round) / BYTES_PER_KB),
    note,
  });
  return [
    ...compared('REST p99', ({ reads }) => quantile(reads, 0.99)),
    ...compared(`tick lateness p99 of ${SIP_CALLS} SIP calls`, ({ ticks }) => tickMs(ticks, 0.99)),
    ...compared(`tick lateness p99.9 of ${SIP_CALLS} SIP calls`, ({ ticks }) => tickMs(ticks, 0.999)),
    memory('memory per conversation with a turn', ({ heldBytes }) => heldBytes, 'resident, without garbage'),
    memory('memory per conversation after it', ({ leftBytes }) => leftBytes, 'the same'),
  ];
}

function tickMs(ticks: Histogram, share: number): number {
  return quantileOf(ticks, share) * MS_PER_S;
}

function describe({ quiet, beginning, beside, heldBytes, leftBytes }: Round): string {
  const show = ({ ticks, reads }: Spell): string =>
    [quantile(reads, 0.99), tickMs(ticks, 0.99), tickMs(ticks, 0.999)].map((ms) => ms.toFixed(2)).join('/');
  const kb = [heldBytes, leftBytes].map((bytes) => (bytes / BYTES_PER_KB).toFixed(1)).join(', then ');
  return (
    `without ${show(quiet)}, beginning ${show(beginning)}, beside ${show(beside)} ms ` +
    `(REST p99, ticks p99/p99.9); ${kb} KB per conversation`
  );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
