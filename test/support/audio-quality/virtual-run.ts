import { Playout } from '../../../src/engine/playout.ts';
import { PlayoutBudget } from '../../../src/threads/playout-budget.ts';
import { Uplink } from '../../../src/threads/uplink.ts';
import { SeededRandom } from '../seeded-random.ts';
import { resampled } from '../speech-signal.ts';
import {
  type Arrival,
  arrivals,
  interruptions,
  type NetworkCondition,
  PACKET_MS,
  recordedMs,
} from './network.ts';
import type { Hearing } from './quality-score.ts';
import { ReceivedCall } from './received-call.ts';
import { type QualityCodec, ROOM_RATE_HZ, sentPackets, undisturbed } from './sent-packets.ts';
import { type SoundName, sound } from './sounds.ts';

/** What is heard of a sound through a condition, in virtual time: nothing waits. */
export interface VirtualRun {
  readonly sound: SoundName;
  readonly codec: QualityCodec;
  readonly condition: NetworkCondition;
  readonly seconds: number;
  readonly seed: number;
}

export const AGENT_RATE_HZ = 16_000;
/** What is played after the last packet was sent. */
export const TAIL_MS = 1_000;
const START_MS = 10_000;

/** Something that takes packets and is pulled every 20 ms. */
interface Listener {
  receive(index: number, atMs: number): void;
  pull(frame: Int16Array, nowMs: number): void;
}

/** From a phone: RTP packets into the gateway's reception. Any schedule can be given instead of the seed's. */
export function receive(
  { sound: name, codec, condition, seconds, seed }: VirtualRun,
  packets: readonly Arrival[] = arrivals(condition, seconds * 1000, seed),
): Hearing {
  const payloads = sentPackets(name, codec, seconds);
  const call = new ReceivedCall(codec, condition);
  const listener: Listener = {
    receive: (index, atMs) => call.receive(index, payloads[index]!, atMs),
    pull: (frame, nowMs) => call.pull(frame, nowMs),
  };
  const rateHz = ROOM_RATE_HZ[codec];
  const heard = listen(listener, packets, { rateHz, seconds, seed });
  call.close();
  return { said: undisturbed(name, codec, seconds), heard, rateHz, ...pathOf(condition, seconds) };
}

/** From an agent: PCM at 16 kHz, in messages of 20 ms over an ordered stream, into the playout of its leg. */
export function send({ sound: name, codec, condition, seconds, seed }: VirtualRun): Hearing {
  const said = sound(name, AGENT_RATE_HZ, seconds);
  const rateHz = ROOM_RATE_HZ[codec];
  const plenty = Number.MAX_SAFE_INTEGER;
  const budget = new PlayoutBudget({ totalBytes: plenty, accountBytes: plenty, onFull() {} });
  const uplink = new Uplink(budget.queueOf('acc_quality'));
  const playout = new Playout(uplink.memory, rateHz);
  const message = (AGENT_RATE_HZ * PACKET_MS) / 1000;
  const listener: Listener = {
    receive: (index) => uplink.write(said.slice(index * message, (index + 1) * message), AGENT_RATE_HZ),
    pull: (frame) => {
      uplink.advance();
      if (!playout.pull(frame)) frame.fill(0);
    },
  };
  const heard = listen(listener, inOrder(arrivals(condition, seconds * 1000, seed)), {
    rateHz,
    seconds,
    seed,
  });
  return { said: resampled(said, AGENT_RATE_HZ, rateHz), heard, rateHz, ...pathOf(condition, seconds) };
}

/** What a score has to know about the path. */
export function pathOf(condition: NetworkCondition, seconds: number) {
  return { pace: recordedMs(condition, 1), interruptions: interruptions(condition, seconds * 1000) };
}

/** TCP delivers in order: what is behind a late packet is at least as late. */
function inOrder(packets: readonly Arrival[]): Arrival[] {
  let latestMs = 0;
  return packets
    .toSorted((a, b) => a.index - b.index)
    .map(({ index, atMs }) => {
      latestMs = Math.max(latestMs, atMs);
      return { index, atMs: latestMs };
    });
}

/** Lets the packets arrive and pulls every 20 ms; the first pull is at a time that the seed decides. */
function listen(
  listener: Listener,
  packets: readonly Arrival[],
  { rateHz, seconds, seed }: { readonly rateHz: number; readonly seconds: number; readonly seed: number },
): Int16Array {
  const phaseMs = new SeededRandom(seed).below(PACKET_MS);
  const frame = new Int16Array((rateHz * PACKET_MS) / 1000);
  const heard = new Int16Array(((seconds * 1000 + TAIL_MS) * rateHz) / 1000);
  let next = 0;
  let atMs = phaseMs;
  for (; atMs + PACKET_MS <= seconds * 1000 + TAIL_MS; atMs += PACKET_MS) {
    for (; next < packets.length && packets[next]!.atMs <= atMs; next++)
      listener.receive(packets[next]!.index, START_MS + packets[next]!.atMs);
    listener.pull(frame, START_MS + atMs);
    heard.set(frame, (atMs * rateHz) / 1000);
  }
  // Nothing was pulled after this, so a silence there would be the test's.
  return heard.subarray(0, (atMs * rateHz) / 1000);
}
