import { assert } from '../base/assert.ts';

/** Packets held at once: 640 ms at 10 ms a packet, more at longer ones. A power of two. */
export const SLOTS = 64;
const MASK = SLOTS - 1;
const NEVER = -1;

/** A packet as the buffer reads it. */
export interface JitterPacket {
  readonly bytes: Uint8Array;
  readonly sequenceNumber: number;
  readonly timestamp: number;
  readonly payloadOffset: number;
  readonly payloadLength: number;
}

/**
 * Fixed storage for packets, addressed by extended sequence number. A slot remembers its last packet's number
 * after the packet is gone, so that a second copy is recognised.
 */
export class JitterSlots {
  /** All payloads; a packet's own begins at `payloadOffset(sequence)`. */
  readonly bytes: Uint8Array;
  readonly #maxPayloadBytes: number;
  readonly #sequences = new Int32Array(SLOTS).fill(NEVER);
  readonly #held = new Uint8Array(SLOTS);
  readonly #timestamps = new Int32Array(SLOTS);
  readonly #durations = new Int32Array(SLOTS);
  readonly #lengths = new Int32Array(SLOTS);
  #heldSamples = 0;

  constructor(maxPayloadBytes: number) {
    this.#maxPayloadBytes = maxPayloadBytes;
    this.bytes = new Uint8Array(SLOTS * maxPayloadBytes);
  }

  /** Sum of the durations of all packets held. */
  get heldSamples(): number {
    return this.#heldSamples;
  }

  clear(): void {
    this.#sequences.fill(NEVER);
    this.#held.fill(0);
    this.#heldSamples = 0;
  }

  /** Copies a packet in; the slot must be free. */
  put(sequence: number, packet: JitterPacket, durationSamples: number): void {
    const slot = sequence & MASK;
    assert(this.#held[slot] === 0, 'jitter slot is taken');
    this.#sequences[slot] = sequence;
    this.#held[slot] = 1;
    this.#timestamps[slot] = packet.timestamp;
    this.#durations[slot] = durationSamples;
    this.#lengths[slot] = packet.payloadLength;
    this.#heldSamples += durationSamples;
    this.#copy(packet.bytes, packet.payloadOffset, packet.payloadLength, slot * this.#maxPayloadBytes);
  }

  #copy(source: Uint8Array, from: number, length: number, at: number): void {
    const { bytes } = this;
    for (let i = 0; i < length; i++) bytes[at + i] = source[from + i]!;
  }

  holds(sequence: number): boolean {
    return this.#held[sequence & MASK] === 1 && this.#sequences[sequence & MASK] === sequence;
  }

  /** True when this very packet is held or was the last one in its slot. */
  hasSeen(sequence: number): boolean {
    return this.#sequences[sequence & MASK] === sequence;
  }

  remove(sequence: number): void {
    if (!this.holds(sequence)) return;
    this.#held[sequence & MASK] = 0;
    this.#heldSamples -= this.#durations[sequence & MASK]!;
  }

  timestamp(sequence: number): number {
    return this.#timestamps[sequence & MASK]!;
  }

  durationSamples(sequence: number): number {
    return this.#durations[sequence & MASK]!;
  }

  payloadOffset(sequence: number): number {
    return (sequence & MASK) * this.#maxPayloadBytes;
  }

  payloadLength(sequence: number): number {
    return this.#lengths[sequence & MASK]!;
  }
}
