import type { BenchContext, Measure } from '../bench.ts';
import { nowUs } from '../clock.ts';
import { cpuSeconds, watchCores } from '../process-usage.ts';
import { median } from '../report/statistics.ts';
import { delayMeasure, measureRounds, showDelays } from '../rounds.ts';
import { type Passage, takesMs, watchStalls } from '../stalls/stalls.ts';
import { showTails, tailMeasures, type WatchedRound } from '../stalls/tail-measures.ts';
import { sleepBeside } from '../tick/sleeper.ts';
import { chunkLatenessMs } from './far-ends/chunk-lateness.ts';
import { FarEnds } from './far-ends/far-ends.ts';
import { MARKS, markedText } from './far-ends/marks.ts';
import { passages, type Sighting, type Sightings } from './far-ends/sightings.ts';
import { HostedGateway } from './hosted-gateway.ts';
import { SayClient } from './say-client.ts';

const CALLS = 50;
const SETTLE_MS = 3_000;
/** Deepgram takes 20 texts a minute, and one warms the call up. */
const SAYS_PER_CALL = 18;
const QUICK_SAYS_PER_CALL = 6;
const SAY_EVERY_MS = 25;
/** Until the last mark has been heard. */
const LAST_MS = 500;
const FRAME_MS = 20;
/** Of the gateway's Deepgram client. */
const CHUNK_MS = 40;

/** One round; times in milliseconds. */
interface Round extends WatchedRound {
  readonly sayToVendor: readonly Passage[];
  readonly vendorToPhone: readonly Passage[];
  /** After the tick of a chunk's last frame. */
  readonly chunkLateness: readonly number[];
  /** How late the C thread beside the gateway woke. */
  readonly machine: readonly number[];
  readonly cores: number;
}

/** How long speech takes through the gateway, both ways. */
export async function speechDelays(context: BenchContext): Promise<Measure[]> {
  return measuresOf(await measureRounds(context, () => measure(context), describe));
}

async function measure({ cores, quick }: BenchContext): Promise<Round> {
  const ends = FarEnds.start(cores.generators);
  try {
    const hosted = await HostedGateway.start(cores, ends, await ends.vendorUrl());
    try {
      await hosted.host();
      const callIds = await hosted.place(CALLS);
      const { httpPort, agentKey } = hosted.gateway;
      const client = await SayClient.connect(httpPort, agentKey);
      // The first words and the first answers compile most of the code.
      await sayMarks(client, callIds, callIds.length);
      await pause(SETTLE_MS);
      await ends.begin();
      const coresUsed = watchCores(() => cpuSeconds(hosted.gateway.pid));
      const texts = CALLS * (quick ? QUICK_SAYS_PER_CALL : SAYS_PER_CALL);
      const seconds = Math.ceil((texts * SAY_EVERY_MS) / 1_000);
      const [said, machine, stalls] = await Promise.all([
        sayMarks(client, callIds, texts),
        sleepBeside(cores.gateway, seconds),
        watchStalls(cores, seconds + 1),
      ]);
      await pause(LAST_MS);
      client.close();
      return { ...roundOf(said, await ends.end()), machine, stalls, cores: coresUsed() };
    } finally {
      await hosted.stop();
    }
  } finally {
    ends.stop();
  }
}

/** Says marks on one call after the other, at an even pace. Returns when each was said. */
async function sayMarks(client: SayClient, callIds: readonly string[], count: number): Promise<Sighting[]> {
  const said: Sighting[] = [];
  const startMs = performance.now();
  for (let i = 0; i < count; i++) {
    await pause(startMs + i * SAY_EVERY_MS - performance.now());
    const mark = i % MARKS;
    said.push({ mark, atUs: nowUs() });
    client.say(callIds[i % callIds.length] as string, markedText(mark));
  }
  await client.settled();
  return said;
}

function roundOf(
  said: readonly Sighting[],
  { asked, spoken, heard, phones }: Sightings,
): Omit<Round, 'machine' | 'stalls' | 'cores'> {
  const silent = phones.filter(({ chunksUs }) => chunksUs.length === 0).length;
  if (silent > 0) throw new Error(`the vendor heard nothing of ${silent} calls`);
  return {
    sayToVendor: passages(said, asked),
    vendorToPhone: passages(spoken, heard),
    chunkLateness: phones.flatMap((phone) => chunkLatenessMs(phone, CHUNK_MS)),
  };
}

function measuresOf(rounds: readonly Round[]): Measure[] {
  const note = `${CALLS} calls, ${median(rounds.map(({ cores }) => cores)).toFixed(2)} cores`;
  return [
    delayMeasure(rounds, {
      name: "vendor's byte → RTP",
      values: ({ vendorToPhone }) => takesMs(vendorToPhone),
      share: 0.5,
      target: { atMost: 13 },
      note: `the wait for the tick included; ${note}`,
    }),
    ...tailMeasures(rounds, {
      name: "vendor's byte → RTP",
      passages: ({ vendorToPhone }) => vendorToPhone,
      atMost: 25,
    }),
    delayMeasure(rounds, {
      name: "jitter buffer's output → vendor",
      values: frameDelaysMs,
      share: 0.99,
      target: { atMost: CHUNK_MS + 5 },
      note: `by frame, of which the first of a chunk waits ${CHUNK_MS - FRAME_MS} ms for the last`,
    }),
    delayMeasure(rounds, {
      name: "a chunk's last frame → vendor",
      values: ({ chunkLateness }) => chunkLateness,
      share: 0.99,
    }),
    ...tailMeasures(rounds, {
      name: 'say → first byte to the vendor',
      passages: ({ sayToVendor }) => sayToVendor,
      atMost: 5,
    }),
    delayMeasure(rounds, {
      name: 'C thread on the same core',
      values: ({ machine }) => machine,
      share: 0.99,
    }),
  ];
}

/** Of each frame, from the tick that took it out of the jitter buffer. */
function frameDelaysMs({ chunkLateness }: Round): number[] {
  const waits = Array.from({ length: CHUNK_MS / FRAME_MS }, (_, frame) => frame * FRAME_MS);
  return chunkLateness.flatMap((lateMs) => waits.map((waitMs) => lateMs + waitMs));
}

function describe(round: Round): string {
  const { sayToVendor, vendorToPhone, chunkLateness, machine, cores } = round;
  return `say ${showTails(sayToVendor, round)}, spoken ${showTails(vendorToPhone, round)}, chunks ${showDelays(chunkLateness)}, C thread ${showDelays(machine)} ms (p50/p99), ${cores.toFixed(2)} cores`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
