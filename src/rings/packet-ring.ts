import { assert } from '../base/assert.ts';

/**
 * Layout of a packet ring: packets of any length in shared memory, with exactly one producer thread and one consumer
 * thread.
 *
 *     0          64          128
 *     ├──────────┼───────────┼───────────────────────────────────────────────┐
 *     │ producer │ consumer  │ records                                       │
 *     │ words    │ words     │ length (Int32), arrival (Float64), bytes, pad │
 *     └──────────┴───────────┴───────────────────────────────────────────────┘
 *
 * A position counts bytes since the ring was created, modulo 2^32. A record starts at a multiple of 16 bytes and never
 * wraps around the end, so the reader uses it in place; a record that does not fit before the end leaves a gap there.
 * All state of both ends is in their words, one cache line each, so another thread can take over after a crash.
 */

/** Written only by the producer (Int32 index). */
const WRITE_POSITION = 0;
/** Packets that the producer dropped: the ring was full, or the packet has an invalid length. */
const PACKETS_DROPPED = 1;
/** Written only by the consumer (Int32 index). */
const READ_POSITION = 16;

const HEADER_BYTES = 128;
const RECORD_ALIGNMENT = 16;
const RECORD_HEADER_BYTES = 16;
const ARRIVAL_OFFSET = 8;
/** Length of a gap: the next record is at the start of the ring. */
const GAP = -1;

/** A datagram of Ethernet. Longer packets are dropped. */
export const MAX_PACKET_BYTES = 1_500;
/** A gap and the longest packet fit into any ring. */
const LEAST_CAPACITY_BYTES = 4_096;

/** A packet in a ring: `bytes` from `start` to `end`. */
export interface PacketRecord {
  /** The memory of the ring, which is shared. */
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** Arrival time as told by the producer, see `wallMs`. */
  readonly arrivalMs: number;
}

/** Allocates the memory of a ring whose records take `capacityBytes`, a power of two from 4,096. */
export function packetRingMemory(capacityBytes: number): SharedArrayBuffer {
  assert(isCapacity(capacityBytes), `packet ring capacity ${capacityBytes} is not a power of two in range`);
  return new SharedArrayBuffer(HEADER_BYTES + capacityBytes);
}

function isCapacity(bytes: number): boolean {
  return bytes >= LEAST_CAPACITY_BYTES && bytes <= 2 ** 30 && (bytes & (bytes - 1)) === 0;
}

/** Typed arrays over the memory of one ring. */
class Views {
  readonly words: Int32Array;
  /** The records as Int32, Float64 and bytes. */
  readonly lengths: Int32Array;
  readonly arrivals: Float64Array;
  readonly bytes: Uint8Array;
  readonly capacity: number;

  constructor(memory: SharedArrayBuffer) {
    this.capacity = memory.byteLength - HEADER_BYTES;
    assert(isCapacity(this.capacity), `${memory.byteLength} bytes are not the memory of a packet ring`);
    this.words = new Int32Array(memory, 0, HEADER_BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.lengths = new Int32Array(memory, HEADER_BYTES);
    this.arrivals = new Float64Array(memory, HEADER_BYTES);
    this.bytes = new Uint8Array(memory, HEADER_BYTES);
  }
}

/** The writing end of a ring. A new producer on used memory continues where the previous one stopped. */
export class PacketRingProducer {
  readonly #ring: Views;
  #written: number;

  constructor(memory: SharedArrayBuffer) {
    this.#ring = new Views(memory);
    this.#written = Atomics.load(this.#ring.words, WRITE_POSITION);
  }

  /** Packets dropped since the ring was created, by this and previous producers, modulo 2^32. */
  get dropped(): number {
    return Atomics.load(this.#ring.words, PACKETS_DROPPED) >>> 0;
  }

  /**
   * Copies the first `length` bytes into the ring as one packet. Returns false when the ring is full or the length is
   * not 1 to MAX_PACKET_BYTES; the packet is then counted as dropped. Never allocates.
   */
  write(packet: Uint8Array, length: number, arrivalMs: number): boolean {
    const at = length >= 1 && length <= MAX_PACKET_BYTES ? this.#room(length) : -1;
    if (at < 0) {
      Atomics.add(this.#ring.words, PACKETS_DROPPED, 1);
      return false;
    }
    this.#ring.lengths[at >> 2] = length;
    this.#ring.arrivals[(at + ARRIVAL_OFFSET) >> 3] = arrivalMs;
    this.#copy(packet, length, at + RECORD_HEADER_BYTES);
    this.#written = (this.#written + recordBytes(length)) | 0;
    Atomics.store(this.#ring.words, WRITE_POSITION, this.#written);
    return true;
  }

  /** Returns where a record of this length can be written, after a gap where needed; −1 when there is no room. */
  #room(length: number): number {
    const { words, lengths, capacity } = this.#ring;
    const at = this.#written & (capacity - 1);
    const toEnd = capacity - at;
    const gap = recordBytes(length) > toEnd ? toEnd : 0;
    const used = (this.#written - Atomics.load(words, READ_POSITION)) | 0;
    if (used + gap + recordBytes(length) > capacity) return -1;
    if (gap === 0) return at;
    lengths[at >> 2] = GAP;
    this.#written = (this.#written + gap) | 0;
    return 0;
  }

  #copy(packet: Uint8Array, length: number, at: number): void {
    const { bytes } = this.#ring;
    // One block move for a whole array. Copying a part of one this way would need a new view.
    if (length === packet.length) bytes.set(packet, at);
    else for (let i = 0; i < length; i++) bytes[at + i] = packet[i]!;
  }
}

/**
 * The reading end of a ring, and the packet it is at. A new consumer on used memory continues where the previous one
 * stopped, with the packet that one was at.
 */
export class PacketRingConsumer implements PacketRecord {
  readonly bytes: Uint8Array;
  start = 0;
  end = 0;
  arrivalMs = 0;
  readonly #ring: Views;
  /** Start and end of the current record, as positions. */
  #read: number;
  #next: number;
  #written: number;

  constructor(memory: SharedArrayBuffer) {
    this.#ring = new Views(memory);
    this.bytes = this.#ring.bytes;
    this.#read = Atomics.load(this.#ring.words, READ_POSITION);
    this.#next = this.#read;
    this.#written = this.#read;
  }

  /** Packets that the producer has dropped since the ring was created, modulo 2^32. */
  get dropped(): number {
    return Atomics.load(this.#ring.words, PACKETS_DROPPED) >>> 0;
  }

  /**
   * Frees the current packet and moves on to the next one. Returns false when there is none. Never allocates.
   */
  next(): boolean {
    this.#free();
    if (this.#isAtEnd()) return false;
    const { lengths, arrivals, capacity } = this.#ring;
    let at = this.#read & (capacity - 1);
    if (lengths[at >> 2] === GAP) {
      this.#read = (this.#read + capacity - at) | 0;
      at = 0;
    }
    const length = lengths[at >> 2]!;
    this.start = at + RECORD_HEADER_BYTES;
    this.end = this.start + length;
    this.arrivalMs = arrivals[(at + ARRIVAL_OFFSET) >> 3]!;
    this.#next = (this.#read + recordBytes(length)) | 0;
    return true;
  }

  #free(): void {
    if (this.#next === this.#read) return;
    this.#read = this.#next;
    Atomics.store(this.#ring.words, READ_POSITION, this.#read);
  }

  /** Reloads the producer's position only when everything known is read. */
  #isAtEnd(): boolean {
    if (this.#read !== this.#written) return false;
    this.#written = Atomics.load(this.#ring.words, WRITE_POSITION);
    return this.#read === this.#written;
  }
}

function recordBytes(length: number): number {
  return (RECORD_HEADER_BYTES + length + RECORD_ALIGNMENT - 1) & -RECORD_ALIGNMENT;
}
