import { assert } from '../base/assert.ts';

/**
 * Bytes of one audio ring, shared by exactly one producer thread and one consumer thread.
 *
 *     0          64          128                 896
 *     ├──────────┼───────────┼───────────────────┼──────────────────────────────┐
 *     │ producer │ consumer  │ notes             │ samples                      │
 *     │ words    │ words     │ 64 × 3 × Int32    │ capacity × Int16             │
 *     └──────────┴───────────┴───────────────────┴──────────────────────────────┘
 *
 * The samples are one endless stream. A position counts samples since the ring was made, modulo 2^32, so that
 * `position & (capacity - 1)` is the cell and `(a - b) | 0` the distance. What is not audio is a note beside the
 * stream: "from position P on the rate is R", "at position P stands the mark M". Reading any number of samples,
 * across the messages in which they came, is therefore plain copying, and both ends can be picked up by another
 * thread after a crash: all their state is in the two blocks of words, a cache line each.
 */

/** Words written by the producer only (Int32 index). */
export const WRITE_POSITION = 0;
export const NOTES_WRITTEN = 1;
/** Milliseconds that the producer holds back because the ring is full. */
export const BEHIND_MS = 2;

/** Words written by the consumer only (Int32 index). */
export const READ_POSITION = 16;
export const NOTES_READ = 17;
/** Rate of the sample at READ_POSITION, in Hz; 0 before the first rate note. */
export const READ_RATE_HZ = 18;
/** Sums since the ring was made (Float64 index). */
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
  /** The samples, four to a word. */
  readonly fours: BigInt64Array;
}

/** Memory of a ring that holds `capacitySamples`, a power of two from 256 to 2^20. */
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
