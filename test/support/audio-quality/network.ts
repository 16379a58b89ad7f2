import { SeededRandom } from '../seeded-random.ts';

/** What a path does to a stream of packets of 20 ms. Without any trouble, packets arrive when they were recorded. */
export interface NetworkCondition {
  readonly name: string;
  /** Share of packets lost, 0 to 1. */
  readonly lossShare?: number;
  /** Mean length of a run of lost packets; 1 when each is lost by itself. */
  readonly lossRun?: number;
  /** Each packet is late by up to so much, independently of the others, so that they overtake each other. */
  readonly jitterMs?: number;
  /** The path delivers nothing for so long, then all at once. */
  readonly stallMs?: number;
  /** The path loses everything for so long. */
  readonly outageMs?: number;
  /** From the start of one stall or outage to that of the next. */
  readonly everyMs?: number;
  /** Share of packets that arrive a second time, up to 60 ms later. */
  readonly duplicateShare?: number;
  /** How much faster the sender's clock is than ours, in millionths. */
  readonly driftPpm?: number;
  /** The sender's RTP timestamps jump by so much every `everyMs`, forwards and backwards in turn. */
  readonly clockJumpMs?: number;
}

/** One packet at its arrival. */
export interface Arrival {
  /** Of the packet in its stream, from 0. */
  readonly index: number;
  readonly atMs: number;
}

/** A time when the path stalled or lost everything, in ms since the start of the stream. */
export interface Interruption {
  readonly fromMs: number;
  readonly toMs: number;
}

export const PACKET_MS = 20;
const MILLION = 1_000_000;
const MAX_DUPLICATE_DELAY_MS = 60;
/** Packets that were held back arrive so far apart. */
const RELEASE_SPACING_MS = 0.2;

/** When each packet of `durationMs` of sound arrives, in the order of arrival. A seed always gives the same schedule. */
export function arrivals(condition: NetworkCondition, durationMs: number, seed: number): Arrival[] {
  const random = new SeededRandom(seed);
  const isLost = lossOf(condition, random);
  const packets: Arrival[] = [];
  for (let index = 0; index * PACKET_MS < durationMs; index++) {
    const sentMs = recordedMs(condition, index * PACKET_MS);
    const lateMs = random.next() * (condition.jitterMs ?? 0);
    const repeats = random.chance(condition.duplicateShare ?? 0);
    const repeatedMs = random.next() * MAX_DUPLICATE_DELAY_MS;
    if (isLost() || isWithin(condition.outageMs, condition, sentMs)) continue;
    const atMs = released(condition, sentMs) + lateMs;
    packets.push({ index, atMs });
    if (repeats) packets.push({ index, atMs: atMs + repeatedMs });
  }
  return packets.toSorted((a, b) => a.atMs - b.atMs);
}

/** When the sender recorded a place of its sound, by our clock. */
export function recordedMs({ driftPpm = 0 }: NetworkCondition, soundMs: number): number {
  return soundMs / (1 + driftPpm / MILLION);
}

/** What the sender adds to the timestamp of a packet, in ms. */
export function timestampOffsetMs(condition: NetworkCondition, index: number): number {
  const { clockJumpMs, everyMs } = condition;
  if (clockJumpMs === undefined || everyMs === undefined) return 0;
  return Math.floor((index * PACKET_MS) / everyMs) % 2 === 1 ? clockJumpMs : 0;
}

export function interruptions(condition: NetworkCondition, durationMs: number): Interruption[] {
  const { everyMs, stallMs, outageMs } = condition;
  const lengthMs = stallMs ?? outageMs;
  if (everyMs === undefined || lengthMs === undefined) return [];
  const count = Math.ceil(durationMs / everyMs) - 1;
  return Array.from({ length: count }, (_, i) => ({
    fromMs: (i + 1) * everyMs,
    toMs: (i + 1) * everyMs + lengthMs,
  }));
}

/** Losses by the model of E. N. Gilbert: a good state without losses and a bad one in which everything is lost. */
function lossOf({ lossShare = 0, lossRun = 1 }: NetworkCondition, random: SeededRandom): () => boolean {
  if (lossRun <= 1) return () => random.chance(lossShare);
  const ends = 1 / lossRun;
  const begins = (ends * lossShare) / (1 - lossShare);
  let lost = false;
  return () => {
    lost = random.chance(lost ? 1 - ends : begins);
    return lost;
  };
}

/** Whether `atMs` is in one of the times, from the second period on, that last `lengthMs`. */
function isWithin(lengthMs: number | undefined, { everyMs }: NetworkCondition, atMs: number): boolean {
  return lengthMs !== undefined && everyMs !== undefined && atMs >= everyMs && atMs % everyMs < lengthMs;
}

function released(condition: NetworkCondition, sentMs: number): number {
  const { stallMs, everyMs } = condition;
  if (everyMs === undefined || stallMs === undefined || !isWithin(stallMs, condition, sentMs)) return sentMs;
  const heldMs = sentMs % everyMs;
  return sentMs - heldMs + stallMs + (heldMs / PACKET_MS) * RELEASE_SPACING_MS;
}
