import type { BenchContext, Measure } from '../bench.ts';
import { quantile } from '../quantiles.ts';
import { nowUs } from '../speech/far-ends/clock.ts';
import { MARKS, markedText } from '../speech/far-ends/marks.ts';
import { passagesMs, type Sighting } from '../speech/far-ends/sightings.ts';
import { sleepBeside } from '../tick/sleeper.ts';
import { TalkingAgents } from './talking-agents.ts';

const CALLS = 20;
/** Deepgram takes 20 texts a minute on a call. */
const WARM_TURNS = 4 * CALLS;
const TURNS = 12 * CALLS;
const QUICK_TURNS = 7 * CALLS;
const TURN_EVERY_MS = 50;
const STOPS = 60;
const QUICK_STOPS = 20;
/** Until the held sentence is being spoken. */
const SPEAKING_MS = 150;
const LAST_MS = 500;
/** More than fit into one round. */
const SECONDS_OF_SLEEP = 5;

/** One round; times in milliseconds. */
interface Round {
  readonly lineToModel: readonly number[];
  readonly lineToVoice: readonly number[];
  readonly stopToClosed: readonly number[];
  readonly machine: readonly number[];
}

/** What was seen since the round began. */
interface Seen {
  readonly told: Sighting[];
  readonly asked: Sighting[];
  readonly closed: Sighting[];
}

/** How long an agent's model is kept waiting, and what it writes in vain. */
export async function voiceDelays(context: BenchContext): Promise<Measure[]> {
  let seen: Seen = { told: [], asked: [], closed: [] };
  const agents = await TalkingAgents.start(context.cores, {
    told: (mark, atUs) => seen.told.push({ mark, atUs }),
    asked: (mark, atUs) => seen.asked.push({ mark, atUs }),
    closed: (mark, atUs) => seen.closed.push({ mark, atUs }),
    spoken: () => {},
  });
  try {
    const rounds: Round[] = [];
    for (let round = 1; round <= context.rounds; round++) {
      const callIds = await agents.hosted.place(CALLS);
      // The first turns make the conversations at the provider, and compile most of the code.
      await talk(agents, WARM_TURNS);
      seen = { told: [], asked: [], closed: [] };
      rounds.push(await measure(context, agents, callIds, seen));
      await agents.hosted.hangUp(callIds);
      context.progress(`inline delays, round ${round}: ${describe(rounds.at(-1) as Round)}`);
    }
    return measuresOf(rounds);
  } finally {
    await agents.stop();
  }
}

async function measure(
  { cores, quick }: BenchContext,
  agents: TalkingAgents,
  callIds: readonly string[],
  seen: Seen,
): Promise<Round> {
  const sleeping = sleepBeside(cores.gateway, SECONDS_OF_SLEEP);
  const said = await talk(agents, quick ? QUICK_TURNS : TURNS);
  const machine = await sleeping;
  const stopped = await interrupt(agents, callIds, quick ? QUICK_STOPS : STOPS);
  return {
    lineToModel: passagesMs(said, seen.told),
    lineToVoice: passagesMs(said, seen.asked),
    stopToClosed: passagesMs(stopped, seen.closed),
    machine,
  };
}

/** Persons say marks on one call after the other, at an even pace. Returns when each was understood. */
async function talk({ vendor }: TalkingAgents, turns: number): Promise<Sighting[]> {
  const said: Sighting[] = [];
  const startMs = performance.now();
  for (let turn = 0; turn < turns; turn++) {
    await pause(startMs + turn * TURN_EVERY_MS - performance.now());
    const mark = turn % MARKS;
    said.push({ mark, atUs: nowUs() });
    vendor.listeners[turn % vendor.listeners.length]?.understand(markedText(mark));
  }
  await pause(LAST_MS);
  return said;
}

/** Stops the agent's speech while its model still writes. Returns when each was asked for. */
async function interrupt(
  { vendor, hosted }: TalkingAgents,
  callIds: readonly string[],
  stops: number,
): Promise<Sighting[]> {
  const stopped: Sighting[] = [];
  for (let stop = 0; stop < stops; stop++) {
    const mark = stop % MARKS;
    vendor.listeners[stop % vendor.listeners.length]?.understand(`Hold ${mark}.`);
    await pause(SPEAKING_MS);
    stopped.push({ mark, atUs: nowUs() });
    await Promise.all(
      callIds.map((callId) => hosted.gateway.agentApi.post(`/api/call/${callId}/stop-speaking`)),
    );
    await pause(SPEAKING_MS);
  }
  return stopped;
}

function measuresOf(rounds: readonly Round[]): Measure[] {
  const each = (values: (round: Round) => readonly number[], share: number): number[] =>
    rounds.map((round) => quantile(values(round), share));
  const beside = (share: number) => ({
    name: 'C thread on the same core',
    values: each(({ machine }) => machine, share),
  });
  return [
    {
      name: 'final transcript → first text to the voice p50',
      unit: 'ms',
      ours: each(({ lineToVoice }) => lineToVoice, 0.5),
      note: `${CALLS} calls, a turn every ${TURN_EVERY_MS} ms, the model answers at once`,
    },
    {
      name: 'final transcript → first text to the voice p99',
      unit: 'ms',
      ours: each(({ lineToVoice }) => lineToVoice, 0.99),
      anchor: beside(0.99),
    },
    {
      name: 'final transcript → the model is asked p99',
      unit: 'ms',
      ours: each(({ lineToModel }) => lineToModel, 0.99),
    },
    {
      name: "stop of the speech → the model's stream is closed p99",
      unit: 'ms',
      ours: each(({ stopToClosed }) => stopToClosed, 0.99),
      note: 'by REST, the tick that ends the sound included',
    },
  ];
}

function describe({ lineToModel, lineToVoice, stopToClosed, machine }: Round): string {
  const show = (values: readonly number[]): string =>
    [0.5, 0.99].map((share) => quantile(values, share).toFixed(2)).join('/');
  return `model ${show(lineToModel)}, voice ${show(lineToVoice)}, closed ${show(stopToClosed)}, C thread ${show(machine)} ms (p50/p99)`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
