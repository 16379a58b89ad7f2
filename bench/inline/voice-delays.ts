import { waitFor } from '../../test/support/wait-for.ts';
import type { BenchContext, Measure } from '../bench.ts';
import { nowUs } from '../clock.ts';
import { mainThreadCpuSeconds } from '../process-usage.ts';
import { delayMeasure, measureRounds, showDelays } from '../rounds.ts';
import { MARKS, markedText } from '../speech/far-ends/marks.ts';
import { passages, passagesMs, type Sighting } from '../speech/far-ends/sightings.ts';
import { type Passage, takesMs, watchStalls } from '../stalls/stalls.ts';
import { showTails, tailMeasures, type WatchedRound } from '../stalls/tail-measures.ts';
import { sleepBeside } from '../tick/sleeper.ts';
import type { ModelWatch } from './lean-model.ts';
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
/** What the calls cost without turns. */
const IDLE_MS = 2_000;
const SECONDS_OF_SLEEP = 5;
const MS_PER_S = 1_000;
/** Requests and answers take a little longer than the waits between them. */
const MOST_OF_WAITS = 1.2;

/** One round; times in milliseconds. */
interface Round extends WatchedRound {
  readonly lineToModel: readonly number[];
  readonly lineToVoice: readonly Passage[];
  readonly stopToClosed: readonly Passage[];
  readonly machine: readonly number[];
  /** Of the main thread, beyond what the calls need without turns. */
  readonly cpuPerTurn: number;
}

/** What was seen since the round began. */
interface Seen {
  readonly told: (Sighting & { readonly callId: string })[];
  readonly asked: Sighting[];
  readonly closed: Sighting[];
}

/** How long an agent's model is kept waiting, and what it writes in vain. */
export async function voiceDelays(context: BenchContext): Promise<Measure[]> {
  let seen: Seen = { told: [], asked: [], closed: [] };
  const watch: ModelWatch = {
    told: (mark, atUs, callId) => seen.told.push({ mark, atUs, callId }),
    closed: (mark, atUs) => seen.closed.push({ mark, atUs }),
  };
  const agents = await TalkingAgents.start(context.cores, {
    ...watch,
    asked: (mark, atUs) => seen.asked.push({ mark, atUs }),
    spoken: () => {},
  });
  const round = async (): Promise<Round> => {
    const callIds = await agents.hosted.place(CALLS);
    // The first turns make the conversations at the provider, and compile most of the code.
    await talk(agents, WARM_TURNS);
    seen = { told: [], asked: [], closed: [] };
    const measured = await measure(context, agents, seen);
    await agents.hosted.hangUp(callIds);
    return measured;
  };
  try {
    return measuresOf(await measureRounds(context, round, describe));
  } finally {
    await agents.stop();
  }
}

async function measure({ cores, quick }: BenchContext, agents: TalkingAgents, seen: Seen): Promise<Round> {
  const idle = watchMainThread(agents);
  await pause(IDLE_MS);
  const idleShare = idle() / IDLE_MS;
  const [turns, stops] = quick ? [QUICK_TURNS, QUICK_STOPS] : [TURNS, STOPS];
  const measuredMs = turns * TURN_EVERY_MS + stops * 2 * SPEAKING_MS + LAST_MS;
  const watching = watchStalls(cores, (measuredMs * MOST_OF_WAITS) / MS_PER_S);
  const sleeping = sleepBeside(cores.gateway, SECONDS_OF_SLEEP);
  const startMs = performance.now();
  const busy = watchMainThread(agents);
  const said = await talk(agents, turns);
  const cpuMs = busy() - idleShare * (performance.now() - startMs);
  const machine = await sleeping;
  const stopped = await interrupt(agents, seen, stops);
  return {
    lineToModel: passagesMs(said, seen.told),
    lineToVoice: passages(said, seen.asked),
    stopToClosed: passages(stopped, seen.closed),
    machine,
    stalls: await watching,
    cpuPerTurn: cpuMs / said.length,
  };
}

/** CPU milliseconds of the gateway's main thread, until the returned function is called. */
function watchMainThread({ hosted }: TalkingAgents): () => number {
  const { pid } = hosted.gateway;
  const before = mainThreadCpuSeconds(pid);
  return () => (mainThreadCpuSeconds(pid) - before) * MS_PER_S;
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

/** Stops the agent's speech on a call while its model still writes. Returns when each was asked for. */
async function interrupt({ vendor, hosted }: TalkingAgents, seen: Seen, stops: number): Promise<Sighting[]> {
  const stopped: Sighting[] = [];
  for (let stop = 0; stop < stops; stop++) {
    const mark = stop % MARKS;
    const heldUs = nowUs();
    vendor.listeners[stop % vendor.listeners.length]?.understand(`Hold ${mark}.`);
    const told = () => seen.told.findLast((each) => each.mark === mark && each.atUs > heldUs);
    await waitFor('the model to be told', () => told() !== undefined);
    await pause(SPEAKING_MS);
    stopped.push({ mark, atUs: nowUs() });
    const { status } = await hosted.gateway.agentApi.post(`/api/call/${told()?.callId}/stop-speaking`);
    if (status !== 200) throw new Error(`stop-speaking: ${status}`);
    await pause(SPEAKING_MS);
  }
  return stopped;
}

function measuresOf(rounds: readonly Round[]): Measure[] {
  return [
    delayMeasure(rounds, {
      name: 'final transcript → first text to the voice',
      values: ({ lineToVoice }) => takesMs(lineToVoice),
      share: 0.5,
      note: `${CALLS} calls, a turn every ${TURN_EVERY_MS} ms, the model answers at once`,
    }),
    ...tailMeasures(rounds, {
      name: 'final transcript → first text to the voice',
      passages: ({ lineToVoice }) => lineToVoice,
      atMost: 15,
    }),
    delayMeasure(rounds, {
      name: 'final transcript → the model is asked',
      values: ({ lineToModel }) => lineToModel,
      share: 0.99,
    }),
    ...tailMeasures(rounds, {
      name: "stop of the speech → the model's stream is closed",
      passages: ({ stopToClosed }) => stopToClosed,
      atMost: 20,
    }),
    delayMeasure(rounds, {
      name: 'C thread on the same core',
      values: ({ machine }) => machine,
      share: 0.99,
    }),
    {
      name: 'CPU time of the main thread per turn',
      unit: 'ms',
      ours: rounds.map(({ cpuPerTurn }) => cpuPerTurn),
      note: 'beyond that of the calls; SQLite included',
    },
  ];
}

function describe(round: Round): string {
  const { lineToModel, lineToVoice, stopToClosed, machine, cpuPerTurn } = round;
  return `model ${showDelays(lineToModel)}, voice ${showTails(lineToVoice, round)}, closed ${showTails(stopToClosed, round)}, C thread ${showDelays(machine)} ms (p50/p99), ${cpuPerTurn.toFixed(2)} ms of CPU per turn`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
