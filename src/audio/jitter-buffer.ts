import { FRAME_MS } from '../base/frame.ts';
import type { JitterCounters } from './jitter-counters.ts';
import { JitterPace, SPARE_MS } from './jitter-pace.ts';
import { type JitterPacket, JitterSlots, SLOTS } from './jitter-slots.ts';
import { JitterTarget, MOST_MAX_TARGET_MS } from './jitter-target.ts';
import type { Payload } from './payload.ts';

/** Result of `pull`: what to play next. All but `idle` last `durationSamples`. */
export type Pulled =
  /** A packet. Its payload is `payloadLength` bytes of `bytes` at `payloadOffset`, valid until the next call. */
  | 'packet'
  /** A packet is missing or late: conceal it. The payload is the next packet's, or empty when that is missing too. */
  | 'lost'
  /** The sender is silent (DTX). */
  | 'silence'
  /** There is no stream, or not enough audio to start playing. Lasts one frame. */
  | 'idle';

/** Format of a stream's packets. */
export interface JitterFormat {
  readonly clockRateHz: number;
  readonly maxPayloadBytes: number;
  /** Whether dropping the payload would be inaudible. */
  isQuiet(bytes: Uint8Array, offset: number, length: number, payloadType: number): boolean;
}

/** RFC 3550 appendix A.1: a sequence number further off than this means that the sender has restarted. */
const MAX_DROPOUT = 3_000;
const MAX_MISORDER = 100;
/** Longest time that a starved stream is concealed, with comfort noise in the end, before it counts as stopped. */
const MAX_STARVED_MS = 1_000;
/** How much of that is counted as concealed. */
const COUNTED_STARVED_MS = 60;
/** Longer gaps within the buffer are skipped. */
const MAX_GAP_MS = 240;
/** Above the target by more than this, audible packets are dropped. */
const HOPELESS_MS = 400;
/**
 * Consecutive packets that must find a surplus. Fewer may be due to a late listener asking for several frames at once.
 */
const MIN_SURPLUS_PACKETS = 5;

/**
 * Restores the order and timing of the packets of one RTP stream. It holds 40 to 400 ms, depending on the path. When it
 * holds more, it drops quiet packets and asks for a faster pace, and when it holds less, for a slower one (`pace`). Only
 * far above the target does it drop what can be heard. Nothing is ever played twice or out of order, and storage is
 * bounded.
 */
export class JitterBuffer implements Payload {
  readonly counters: JitterCounters;
  /** How fast to play. */
  readonly pacing = new JitterPace();
  payloadType = 0;
  payloadOffset = 0;
  payloadLength = 0;
  durationSamples = 0;
  /** When what was pulled last had arrived, had it been no later than the fastest of late; NaN: it was made up. */
  pulledDueMs = Number.NaN;

  readonly #format: JitterFormat;
  readonly #slots: JitterSlots;
  readonly #target: JitterTarget;
  readonly #samplesPerMs: number;
  readonly #frameSamples: number;

  #state: 'empty' | 'filling' | 'playing' = 'empty';
  /** False until the first packet has been played; until then, earlier packets are accepted. */
  #began = false;
  #newest = 0;
  #next = 0;
  #nextTimestamp = 0;
  #restartSequence = -1;
  #waitedMs = 0;
  /** Samples concealed for late packets. They are subtracted from the gap if the packets turn out to be lost. */
  #owedSamples = 0;
  /** Audio that has been pulled and waits to be played. */
  #aheadMs = 0;

  /** Creates a buffer that adds to `counters`, which may come from another buffer, and holds at most `maxTargetMs`. */
  constructor(format: JitterFormat, counters: JitterCounters, maxTargetMs = MOST_MAX_TARGET_MS) {
    this.counters = counters;
    this.#format = format;
    this.#slots = new JitterSlots(format.maxPayloadBytes);
    this.#target = new JitterTarget(format.clockRateHz, maxTargetMs);
    this.#samplesPerMs = format.clockRateHz / 1000;
    this.#frameSamples = this.#samplesPerMs * FRAME_MS;
  }

  /** Array that holds the payload; valid until the next packet is inserted. */
  get bytes(): Uint8Array {
    return this.#slots.bytes;
  }

  /** Audio from the playout position to the end of the newest packet, including gaps and what waits to be played. */
  get depthMs(): number {
    return this.#depthSamples() / this.#samplesPerMs + this.#aheadMs;
  }

  /** What the buffer holds right after a packet on time, smoothed; 0 without a stream. */
  get delayMs(): number {
    return this.#state === 'playing' ? this.pacing.levelMs : 0;
  }

  /** Notes how much of what was pulled waits to be played. */
  noteAhead(ms: number): void {
    this.#aheadMs = ms;
  }

  /** Notes that the listener has made what was pulled shorter, or longer if `ms` is negative. */
  noteShortened(ms: number): void {
    if (ms > 0) this.counters.shortenedMs += ms;
    else this.counters.lengthenedMs -= ms;
    this.pacing.lower(ms);
    this.#judgePace();
  }

  get targetMs(): number {
    return this.#target.targetMs;
  }

  /** Drops all packets and expects a different stream: a new SSRC or another codec. */
  restart(): void {
    this.#slots.clear();
    this.#target.restart();
    this.#state = 'empty';
    this.#restartSequence = -1;
  }

  /**
   * Inserts a packet that lasts `durationSamples`. Use 0 for one without audio (a DTMF event, comfort noise), which
   * only shows that nothing was lost. Returns false for a late, duplicate or oversized packet; the first two are
   * counted.
   */
  insert(packet: JitterPacket, durationSamples: number, arrivalMs: number): boolean {
    if (packet.payloadLength > this.#format.maxPayloadBytes) return false;
    const sequence = this.#place(packet.sequenceNumber);
    if (sequence < 0) return this.#refuse('late');
    if (this.#slots.hasSeen(sequence)) return this.#refuse('duplicate');
    const latenessMs =
      durationSamples > 0 ? this.#target.observe(packet.timestamp, durationSamples, arrivalMs) : 0;
    if (this.#isPast(sequence, packet.timestamp, durationSamples)) return this.#refuse('late');
    this.#makeRoom(sequence);
    this.#slots.put(sequence, packet, durationSamples, arrivalMs - latenessMs);
    this.counters.received++;
    if (this.#state === 'playing' && durationSamples > 0)
      this.#noteLevel(this.#aheadOf(packet.timestamp) + durationSamples, latenessMs, arrivalMs);
    return true;
  }

  /** Returns what to play next and advances by its duration. */
  pull(): Pulled {
    if (this.#state !== 'playing' && !this.#mayStart()) return this.#idle();
    let head = this.#head();
    if (head >= 0 && this.pacing.surplusPackets >= MIN_SURPLUS_PACKETS) head = this.#trim(head);
    if (head < 0) return this.#starve();
    const gapSamples = this.#gapBefore(head);
    if (gapSamples > 0) return this.#bridge(head, gapSamples);
    return this.#take(head);
  }

  #refuse(reason: 'late' | 'duplicate'): false {
    this.counters[reason]++;
    return false;
  }

  /** Extends a 16-bit sequence number. Returns −1 when it is too far from the stream. */
  #place(sequenceNumber: number): number {
    if (this.#state === 'empty') return this.#begin(sequenceNumber);
    const delta = ((sequenceNumber - this.#newest) << 16) >> 16;
    if (delta <= MAX_DROPOUT && delta >= -MAX_MISORDER) {
      this.#restartSequence = -1;
      return this.#newest + delta;
    }
    // Two packets in a row at the new position prove that the sender has restarted; a single one may be a stray.
    if (sequenceNumber === this.#restartSequence) {
      this.restart();
      return this.#begin(sequenceNumber);
    }
    this.#restartSequence = (sequenceNumber + 1) & 0xffff;
    return -1;
  }

  #begin(sequenceNumber: number): number {
    const sequence = sequenceNumber + 0x1_0000;
    this.#state = 'filling';
    this.#newest = sequence;
    this.#next = sequence;
    this.#nextTimestamp = 0;
    this.#waitedMs = 0;
    this.#began = false;
    return sequence;
  }

  #isPast(sequence: number, timestamp: number, durationSamples: number): boolean {
    if (!this.#began) {
      if (sequence < this.#next && this.#newest - sequence < SLOTS) this.#next = sequence;
      return sequence < this.#next;
    }
    if (sequence < this.#next) return true;
    // Its time may already have been concealed while its number is still open. A timestamp far back is a restarted
    // clock.
    const aheadSamples = (timestamp + durationSamples - this.#nextTimestamp) | 0;
    const playing = this.#state === 'playing' && durationSamples > 0;
    return playing && aheadSamples <= 0 && aheadSamples > -MAX_GAP_MS * this.#samplesPerMs;
  }

  #makeRoom(sequence: number): void {
    this.#newest = Math.max(this.#newest, sequence);
    const oldest = this.#newest - SLOTS + 1;
    if (this.#next >= oldest) return;
    const heldEnd = Math.min(oldest, this.#next + SLOTS);
    for (let old = this.#next; old < heldEnd; old++) this.#drop(old);
    this.#next = oldest;
  }

  #drop(sequence: number): void {
    if (!this.#slots.holds(sequence)) return;
    if (this.#slots.durationSamples(sequence) > 0) this.counters.droppedForDepth++;
    this.#slots.remove(sequence);
  }

  #mayStart(): boolean {
    const head = this.#head();
    if (head < 0) return false;
    if (this.depthMs < this.targetMs && this.#waitedMs < this.targetMs) {
      this.#waitedMs += FRAME_MS;
      return false;
    }
    if (!this.#began) this.#passTo(head);
    this.#began = true;
    this.#state = 'playing';
    this.#nextTimestamp = this.#slots.timestamp(head);
    this.#owedSamples = 0;
    this.pacing.restart(this.depthMs);
    return true;
  }

  /** Sequence number of the first packet with audio, or −1. Removes the markers before it. */
  #head(): number {
    for (let sequence = this.#next; sequence <= this.#newest; sequence++) {
      if (!this.#slots.holds(sequence)) continue;
      if (this.#slots.durationSamples(sequence) > 0) return sequence;
      if (sequence !== this.#next) continue;
      this.#slots.remove(sequence);
      this.#next = sequence + 1;
    }
    return -1;
  }

  #isQuiet(head: number): boolean {
    const offset = this.#slots.payloadOffset(head);
    const type = this.#slots.payloadType(head);
    return this.#format.isQuiet(this.bytes, offset, this.#slots.payloadLength(head), type);
  }

  #depthSamples(): number {
    const heldSamples = this.#slots.heldSamples;
    if (this.#state !== 'playing' || !this.#slots.holds(this.#newest)) return heldSamples;
    const end = this.#slots.timestamp(this.#newest) + this.#slots.durationSamples(this.#newest);
    const spanSamples = (end - this.#nextTimestamp) | 0;
    // After a clock restart the span is meaningless until that point has been played.
    return spanSamples > SLOTS * this.#frameSamples ? heldSamples : Math.max(spanSamples, heldSamples);
  }

  /** Samples between the playout position and the head, minus those already concealed. */
  #gapBefore(head: number): number {
    const gapSamples = (this.#slots.timestamp(head) - this.#nextTimestamp) | 0;
    if (gapSamples <= 0) return 0;
    const isTooLong = gapSamples - this.#owedSamples > MAX_GAP_MS * this.#samplesPerMs;
    const skippedSamples = isTooLong ? gapSamples : Math.min(gapSamples, this.#owedSamples);
    this.#nextTimestamp = (this.#nextTimestamp + skippedSamples) | 0;
    this.#owedSamples = 0;
    if (isTooLong) this.pacing.restart(this.depthMs);
    const left = gapSamples - skippedSamples;
    return this.pacing.isFarOff && this.pacing.pace === 'faster' ? left - this.#leaveOut(left) : left;
  }

  /**
   * Skips a part of a gap to reduce the delay. This is less audible than changing the pace of what has been received.
   */
  #leaveOut(gapSamples: number): number {
    const leftOut = Math.min(gapSamples, Math.floor(this.pacing.excessMs * this.#samplesPerMs));
    this.#nextTimestamp = (this.#nextTimestamp + leftOut) | 0;
    this.pacing.lower(leftOut / this.#samplesPerMs);
    return leftOut;
  }

  #bridge(head: number, gapSamples: number): Pulled {
    const isSilence = head === this.#next;
    this.pulledDueMs = this.#slots.dueMs(head) - gapSamples / this.#samplesPerMs;
    if (!isSilence) this.counters.concealed++;
    this.payloadType = this.#slots.payloadType(head);
    this.payloadOffset = this.#slots.payloadOffset(head);
    this.payloadLength = gapSamples <= this.#frameSamples ? this.#slots.payloadLength(head) : 0;
    return this.#advance(isSilence ? 'silence' : 'lost', Math.min(gapSamples, this.#frameSamples));
  }

  #take(head: number): Pulled {
    this.counters.lost += this.#missingBefore(head);
    this.pulledDueMs = this.#slots.dueMs(head);
    this.payloadType = this.#slots.payloadType(head);
    this.payloadOffset = this.#slots.payloadOffset(head);
    this.payloadLength = this.#slots.payloadLength(head);
    this.#nextTimestamp = this.#slots.timestamp(head);
    this.#leave(head);
    return this.#advance('packet', this.#slots.durationSamples(head));
  }

  /** Removes the head and any markers before it. */
  #leave(head: number): void {
    this.#passTo(head + 1);
    this.#owedSamples = 0;
  }

  /** Advances to `sequence` and removes the markers left before it. */
  #passTo(sequence: number): void {
    for (let passed = this.#next; passed < sequence; passed++) this.#slots.remove(passed);
    this.#next = sequence;
  }

  #missingBefore(head: number): number {
    let missing = 0;
    for (let sequence = this.#next; sequence < head; sequence++) if (!this.#slots.holds(sequence)) missing++;
    return missing;
  }

  #advance(pulled: Pulled, durationSamples: number): Pulled {
    this.#nextTimestamp = (this.#nextTimestamp + durationSamples) | 0;
    return this.#last(pulled, durationSamples);
  }

  #last(pulled: Pulled, durationSamples: number): Pulled {
    this.durationSamples = durationSamples;
    return pulled;
  }

  #idle(): Pulled {
    return this.#last('idle', this.#frameSamples);
  }

  /** Nothing to play: the playout position stays, so that packets which are only late are still played. */
  #starve(): Pulled {
    this.#owedSamples += this.#frameSamples;
    if (this.#owedSamples > MAX_STARVED_MS * this.#samplesPerMs) {
      this.#state = 'filling';
      this.#waitedMs = 0;
      return this.#idle();
    }
    if (this.#owedSamples <= COUNTED_STARVED_MS * this.#samplesPerMs) this.counters.concealed++;
    this.payloadLength = 0;
    this.pulledDueMs = Number.NaN;
    return this.#last('lost', this.#frameSamples);
  }

  /** Samples from the playout position to a packet. What has been concealed counts if the next packet is missing. */
  #aheadOf(timestamp: number): number {
    const concealed = this.#slots.holds(this.#next) ? 0 : this.#owedSamples;
    return (timestamp - this.#nextTimestamp - concealed) | 0;
  }

  #noteLevel(aheadSamples: number, latenessMs: number, arrivalMs: number): void {
    // After a restart of the sender's clock this is meaningless until that point has been played.
    if (Math.abs(aheadSamples) > SLOTS * this.#frameSamples) return;
    this.pacing.noteArrival(aheadSamples / this.#samplesPerMs + this.#aheadMs, latenessMs, arrivalMs);
    this.#judgePace();
  }

  #judgePace(): void {
    this.pacing.judge(this.#target.targetMs, this.#target.packetMs);
  }

  /** Drops quiet packets while there are too many, and any when there are far too many. Returns the new head or −1. */
  #trim(head: number): number {
    if (this.pacing.excessMs > HOPELESS_MS) return this.#trimToTarget(head);
    const end = this.#slots.timestamp(head) + this.#slots.durationSamples(head);
    const leftOutMs = ((end - this.#nextTimestamp) | 0) / this.#samplesPerMs;
    if (this.pacing.excessMs < leftOutMs - SPARE_MS || !this.#isQuiet(head)) return head;
    this.pacing.surplusPackets = 0;
    return this.#trimHead(head);
  }

  #trimToTarget(first: number): number {
    let head = first;
    while (head >= 0 && this.depthMs > this.targetMs) head = this.#trimHead(head);
    return head;
  }

  /** Drops a packet and the gap before it. Returns the new head or −1. */
  #trimHead(head: number): number {
    const next = (this.#slots.timestamp(head) + this.#slots.durationSamples(head)) | 0;
    this.counters.droppedForDepth++;
    this.counters.lost += this.#missingBefore(head);
    this.pacing.lower(((next - this.#nextTimestamp) | 0) / this.#samplesPerMs);
    this.#nextTimestamp = next;
    this.#leave(head);
    this.#judgePace();
    return this.#head();
  }
}
