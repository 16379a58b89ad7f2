import { assert } from '../base/assert.ts';

/**
 * Layout of one audio ring, shared by exactly one producer thread and one consumer thread.
 *
 *     0          64          128                 896
 *     ├──────────┼───────────┼───────────────────┼──────────────────────────────┐
 *     │ producer │ consumer  │ notes             │ samples                      │
 *     │ words    │ words     │ 64 × 3 × Int32    │ capacity × Int16             │
 *     └──────────┴───────────┴───────────────────┴──────────────────────────────┘
 *
 * The samples are one endless stream. A position counts samples since the ring was created, modulo 2^32, so
 * `position & (capacity - 1)` is the cell and `(a - b) | 0` the distance. Everything other than audio is a note: "from
 * position P the rate is R" or "mark M is at position P". Reading any number of samples is therefore plain copying,
 * however they were split into messages. All state of both ends is in the two blocks of words, one cache line each, so
 * another thread can take over either end after a crash.
 */

/** Words written only by the producer (Int32 index). */
export const WRITE_POSITION = 0;
export const NOTES_WRITTEN = 1;
/** Milliseconds of audio that the producer holds outside the ring because the ring is full. */
export const BEHIND_MS = 2;

/** Words written only by the consumer (Int32 index). */
export const READ_POSITION = 16;
export const NOTES_READ = 17;
/** Rate of the sample at READ_POSITION, in Hz; 0 before the first rate note. */
export const READ_RATE_HZ = 18;
/** Sums since the ring was created (Float64 index). */
export const PLAYED_MS = 10;
export const DROPPED_MS = 11;

const HEADER_BYTES = 128;
export const NOTE_CAPACITY = 64;
/** Int32 words of one note: position, kind, value. */
export const NOTE_WORDS = 3;
export const NOTE_RATE = 1;
export const NOTE_MARK = 2;
const NOTES_BYTES = NOTE_CAPACITY * NOTE_WORDS * Int32Array.BYTES_PER_ELEMENT;

/** Typed arrays over the memory of one ring. */
export interface RingViews {
  readonly words: Int32Array;
  readonly sums: Float64Array;
  readonly notes: Int32Array;
  readonly samples: Int16Array;
  /** The samples, four per element. */
  readonly fours: BigInt64Array;
}

/** Allocates the memory of a ring of `capacitySamples`, a power of two from 256 to 2^20. */
export function ringMemory(capacitySamples: number): SharedArrayBuffer {
  assert(isCapacity(capacitySamples), `ring capacity ${capacitySamples} is not a power of two in range`);
  return new SharedArrayBuffer(HEADER_BYTES + NOTES_BYTES + capacitySamples * Int16Array.BYTES_PER_ELEMENT);
}

export function ringViews(memory: SharedArrayBuffer): RingViews {
  const samples = new Int16Array(memory, HEADER_BYTES + NOTES_BYTES);
  assert(isCapacity(samples.length), `${memory.byteLength} bytes are not the memory of a ring`);
  return {
    words: new Int32Array(memory, 0, HEADER_BYTES / Int32Array.BYTES_PER_ELEMENT),
    sums: new Float64Array(memory, 0, HEADER_BYTES / Float64Array.BYTES_PER_ELEMENT),
    notes: new Int32Array(memory, HEADER_BYTES, NOTE_CAPACITY * NOTE_WORDS),
    samples,
    fours: new BigInt64Array(memory, HEADER_BYTES + NOTES_BYTES),
  };
}

function isCapacity(samples: number): boolean {
  return samples >= 256 && samples <= 2 ** 20 && (samples & (samples - 1)) === 0;
}
