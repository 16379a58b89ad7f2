import { assert } from '../base/assert.ts';
import type { Payload } from './payload.ts';

/** Maximum number of packets held: 640 ms at 10 ms per packet, more with longer packets. A power of two. */
export const SLOTS = 64;
const MASK = SLOTS - 1;
const NEVER = -1;
/** Initial capacity: 8 payloads of 20 ms G.711. Their number and length are doubled when needed. */
const FIRST_CELLS = 8;
const FIRST_CELL_BYTES = 160;

/** Int32 words per slot. */
const WORDS = 4;
const SEQUENCE = 0;
const TIMESTAMP = 1;
const DURATION = 2;
const LENGTH = 3;

/** A packet as the jitter buffer reads it. */
export interface JitterPacket extends Payload {
  readonly sequenceNumber: number;
  readonly timestamp: number;
}

/**
 * Packet storage addressed by extended sequence number. A slot keeps the number of its last packet after the packet has
 * been removed, so duplicates are recognised. Payloads are stored in cells, allocated only to packets being held: a
 * good path needs six, whereas a full-length cell per slot would take most of a call's memory.
 */
export class JitterSlots {
  /** All payloads, valid until the next `put`. The payload of a packet starts at `payloadOffset(sequence)`. */
  bytes: Uint8Array;
  /** Total duration of the packets held. */
  heldSamples = 0;
  readonly #maxPayloadBytes: number;
  readonly #words = new Int32Array(SLOTS * WORDS);
  readonly #duesMs = new Float64Array(SLOTS);
  readonly #held = new Uint8Array(SLOTS);
  readonly #types = new Uint8Array(SLOTS);
  /** The cell of each slot that holds a packet. */
  readonly #cells = new Uint8Array(SLOTS);
  /** A stack of cells. The first `#freeCount` are free. */
  readonly #free = new Uint8Array(SLOTS);
  #freeCount = 0;
  #cellCount = 0;
  #cellBytes = 0;

  constructor(maxPayloadBytes: number) {
    this.#maxPayloadBytes = maxPayloadBytes;
    this.bytes = new Uint8Array(0);
    this.#forgetSequences();
    this.#grow(FIRST_CELLS, Math.min(FIRST_CELL_BYTES, maxPayloadBytes));
  }

  clear(): void {
    for (let slot = 0; slot < SLOTS; slot++) if (this.#held[slot] === 1) this.#release(slot);
    this.#forgetSequences();
    this.heldSamples = 0;
  }

  /** Stores a copy of the packet. Its slot must be free. */
  put(sequence: number, packet: JitterPacket, durationSamples: number, dueMs: number): void {
    const slot = sequence & MASK;
    assert(this.#held[slot] === 0, 'jitter slot is taken');
    this.#makeRoom(packet.payloadLength);
    this.#freeCount--;
    this.#cells[slot] = this.#free[this.#freeCount]!;
    this.#held[slot] = 1;
    this.#duesMs[slot] = dueMs;
    this.#types[slot] = packet.payloadType ?? 0;
    this.#words[slot * WORDS + SEQUENCE] = sequence;
    this.#words[slot * WORDS + TIMESTAMP] = packet.timestamp;
    this.#words[slot * WORDS + DURATION] = durationSamples;
    this.#words[slot * WORDS + LENGTH] = packet.payloadLength;
    this.heldSamples += durationSamples;
    this.#copy(packet.bytes, packet.payloadOffset, packet.payloadLength, this.payloadOffset(sequence));
  }

  #copy(source: Uint8Array, from: number, length: number, at: number): void {
    const bytes = this.bytes;
    for (let i = 0; i < length; i++) bytes[at + i] = source[from + i]!;
  }

  holds(sequence: number): boolean {
    return this.#held[sequence & MASK] === 1 && this.hasSeen(sequence);
  }

  /** Whether this packet is held or was the last one in its slot. */
  hasSeen(sequence: number): boolean {
    return this.#words[(sequence & MASK) * WORDS + SEQUENCE] === sequence;
  }

  /** Removes a packet. Its payload stays valid until the next `put`. */
  remove(sequence: number): void {
    if (!this.holds(sequence)) return;
    this.#release(sequence & MASK);
    this.heldSamples -= this.durationSamples(sequence);
  }

  timestamp(sequence: number): number {
    return this.#words[(sequence & MASK) * WORDS + TIMESTAMP]!;
  }

  durationSamples(sequence: number): number {
    return this.#words[(sequence & MASK) * WORDS + DURATION]!;
  }

  /** When the packet would have arrived on time. */
  dueMs(sequence: number): number {
    return this.#duesMs[sequence & MASK]!;
  }

  payloadOffset(sequence: number): number {
    return this.#cells[sequence & MASK]! * this.#cellBytes;
  }

  payloadLength(sequence: number): number {
    return this.#words[(sequence & MASK) * WORDS + LENGTH]!;
  }

  payloadType(sequence: number): number {
    return this.#types[sequence & MASK]!;
  }

  #release(slot: number): void {
    this.#held[slot] = 0;
    this.#free[this.#freeCount] = this.#cells[slot]!;
    this.#freeCount++;
  }

  /**
   * Makes room for a payload. Allocates only a few times per call, when a payload is longer or more are held than
   * before.
   */
  #makeRoom(payloadBytes: number): void {
    if (payloadBytes > this.#cellBytes) {
      const twice = Math.max(payloadBytes, 2 * this.#cellBytes);
      this.#grow(this.#cellCount, Math.min(twice, this.#maxPayloadBytes));
    }
    if (this.#freeCount === 0) this.#grow(2 * this.#cellCount, this.#cellBytes);
  }

  #grow(cellCount: number, cellBytes: number): void {
    const bytes = new Uint8Array(cellCount * cellBytes);
    for (let cell = 0; cell < this.#cellCount; cell++) {
      const from = cell * this.#cellBytes;
      bytes.set(this.bytes.subarray(from, from + this.#cellBytes), cell * cellBytes);
    }
    this.bytes = bytes;
    this.#cellBytes = cellBytes;
    for (let cell = this.#cellCount; cell < cellCount; cell++) {
      this.#free[this.#freeCount] = cell;
      this.#freeCount++;
    }
    this.#cellCount = cellCount;
  }

  #forgetSequences(): void {
    for (let slot = 0; slot < SLOTS; slot++) this.#words[slot * WORDS + SEQUENCE] = NEVER;
  }
}
