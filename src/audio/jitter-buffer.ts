import { FRAME_MS } from '../base/frame.ts';
import { type JitterPacket, JitterSlots, SLOTS } from './jitter-slots.ts';
import { JitterTarget } from './jitter-target.ts';
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

export interface JitterCounters {
  received: number;
  duplicate: number;
  late: number;
  /** Packets that never arrived in time to be played. */
  lost: number;
  /** Number of times that audio was concealed. */
  concealed: number;
  /** Packets dropped to reduce the delay. */
  droppedForDepth: number;
}

export function newJitterCounters(): JitterCounters {
  return { received: 0, duplicate: 0, late: 0, lost: 0, concealed: 0, droppedForDepth: 0 };
}

/** Format of a stream's packets. */
export interface JitterFormat {
  readonly clockRateHz: number;
  readonly maxPayloadBytes: number;
  /** Whether dropping the payload would be inaudible. */
  isQuiet(bytes: Uint8Array, offset: number, length: number): boolean;
}

/** RFC 3550 appendix A.1: a sequence number further off than this means that the sender has restarted. */
const MAX_DROPOUT = 3_000;
const MAX_MISORDER = 100;
/** Longest time that a starved stream is concealed before it counts as stopped. */
const MAX_STARVED_MS = 60;
/** Longer gaps within the buffer are skipped. */
const MAX_GAP_MS = 240;
/** Delay above the target that is tolerated before audible packets are dropped. */
const MAX_EXCESS_MS = 2 * FRAME_MS;
/**
 * How far the depth may be below the target after a packet is dropped, because audio comes in whole packets. Half a
 * frame less still covers a packet as late as the target allows, wherever it arrives between two pulls.
 */
const SPARE_MS = FRAME_MS / 2;
/**
 * Consecutive pulls that must find a surplus. Fewer may be due to a late listener asking for several frames at once.
 */
const MIN_SURPLUS_PULLS = 5;
/** Length of the windows over which the delay is judged. Returning to the target takes at most two. */
const WINDOW_MS = 800;

/**
 * Restores the order and timing of the packets of one RTP stream. It holds 40 to 120 ms, depending on the path. When it
 * holds more, it first drops quiet packets, and after a window of at most 800 ms any excess. Nothing is ever played
 * twice or out of order, and storage is bounded.
 */
export class JitterBuffer implements Payload {
  readonly counters: JitterCounters;
  payloadOffset = 0;
  payloadLength = 0;
  durationSamples = 0;

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
  #windowSamples = 0;
  #windowLeastMs = Number.POSITIVE_INFINITY;
  #windowMostMs = 0;
  /** The depth stayed too low throughout the last window. */
  #mayStretch = false;
  /** Consecutive pulls at which a packet could have been dropped. */
  #surplusPulls = 0;

  /** Creates a buffer that adds to `counters`, which may come from another buffer. */
  constructor(format: JitterFormat, counters: JitterCounters) {
    this.counters = counters;
    this.#format = format;
    this.#slots = new JitterSlots(format.maxPayloadBytes);
    this.#target = new JitterTarget(format.clockRateHz);
    this.#samplesPerMs = format.clockRateHz / 1000;
    this.#frameSamples = this.#samplesPerMs * FRAME_MS;
  }

  /** Array that holds the payload; valid until the next packet is inserted. */
  get bytes(): Uint8Array {
    return this.#slots.bytes;
  }

  /** Audio from the playout position to the end of the newest packet, including gaps. */
  get depthMs(): number {
    return this.#depthSamples() / this.#samplesPerMs;
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
    if (durationSamples > 0) this.#target.observe(packet.timestamp, durationSamples, arrivalMs);
    if (this.#isPast(sequence, packet.timestamp, durationSamples)) return this.#refuse('late');
    this.#makeRoom(sequence);
    this.#slots.put(sequence, packet, durationSamples);
    this.counters.received++;
    return true;
  }

  /** Returns what to play next and advances by its duration. */
  pull(): Pulled {
    if (this.#state !== 'playing' && !this.#mayStart()) return this.#idle();
    if (this.#head() >= 0) this.#judgeDepth();
    const head = this.#head();
    if (head < 0) return this.#starve();
    if (this.#mayStretch && this.#isQuiet(head)) return this.#stretch();
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
    this.#startWindow();
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
    this.#surplusPulls = 0;
    this.#startWindow();
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
    return this.#format.isQuiet(this.bytes, offset, this.#slots.payloadLength(head));
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
    return gapSamples - skippedSamples;
  }

  #bridge(head: number, gapSamples: number): Pulled {
    const isSilence = head === this.#next;
    if (!isSilence) this.counters.concealed++;
    this.payloadOffset = this.#slots.payloadOffset(head);
    this.payloadLength = gapSamples <= this.#frameSamples ? this.#slots.payloadLength(head) : 0;
    return this.#advance(isSilence ? 'silence' : 'lost', Math.min(gapSamples, this.#frameSamples));
  }

  #take(head: number): Pulled {
    this.counters.lost += this.#missingBefore(head);
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
    this.#windowSamples += durationSamples;
    return pulled;
  }

  #idle(): Pulled {
    return this.#last('idle', this.#frameSamples);
  }

  /** Nothing to play: the playout position stays, so that packets which are only late are still played. */
  #starve(): Pulled {
    this.#windowLeastMs = 0;
    this.#owedSamples += this.#frameSamples;
    if (this.#owedSamples > MAX_STARVED_MS * this.#samplesPerMs) {
      this.#state = 'filling';
      this.#waitedMs = 0;
      return this.#idle();
    }
    this.counters.concealed++;
    this.payloadLength = 0;
    return this.#last('lost', this.#frameSamples);
  }

  /** Inserts an inaudible frame of silence because the path needs more delay. */
  #stretch(): Pulled {
    this.#mayStretch = false;
    return this.#last('silence', this.#frameSamples);
  }

  #startWindow(): void {
    this.#windowSamples = 0;
    this.#windowLeastMs = Number.POSITIVE_INFINITY;
    this.#windowMostMs = 0;
  }

  /** Adjusts the depth to the target. There must be a head. */
  #judgeDepth(): void {
    const head = this.#head();
    const gapSamples = this.#gapBefore(head);
    const { depthMs, targetMs } = this;
    const excessMs = depthMs - targetMs;
    this.#windowLeastMs = Math.min(this.#windowLeastMs, depthMs);
    this.#windowMostMs = Math.max(this.#windowMostMs, depthMs);
    const packetMs = this.#slots.durationSamples(head) / this.#samplesPerMs;
    this.#surplusPulls = excessMs >= packetMs - SPARE_MS ? this.#surplusPulls + 1 : 0;
    if (gapSamples > 0) this.#shorten(gapSamples, excessMs);
    else if (this.#surplusPulls >= MIN_SURPLUS_PULLS && this.#isQuiet(head)) this.#trimHead(head);
    if (this.#windowSamples < WINDOW_MS * this.#samplesPerMs) return;
    if (this.#windowLeastMs > targetMs + MAX_EXCESS_MS) this.#trimToTarget();
    this.#mayStretch = this.#windowMostMs + FRAME_MS <= targetMs;
    this.#startWindow();
  }

  /**
   * Skips a gap to reduce the delay. This is less audible than dropping a packet but more than dropping a quiet one:
   * speech jumps there.
   */
  #shorten(gapSamples: number, excessMs: number): void {
    if (excessMs <= FRAME_MS) return;
    const leftOut = Math.min(gapSamples, excessMs * this.#samplesPerMs);
    this.#nextTimestamp = (this.#nextTimestamp + leftOut) | 0;
  }

  #trimToTarget(): void {
    for (let head = this.#head(); head >= 0 && this.depthMs > this.targetMs; head = this.#head()) {
      this.#trimHead(head);
    }
  }

  #trimHead(head: number): void {
    this.counters.droppedForDepth++;
    this.counters.lost += this.#missingBefore(head);
    this.#nextTimestamp = (this.#slots.timestamp(head) + this.#slots.durationSamples(head)) | 0;
    this.#leave(head);
  }
}
