import { assert } from '../base/assert.ts';
import { frameSamples } from '../base/frame.ts';

/**
 * Bytes of a ring of whole frames at one rate, shared by exactly one producer thread and one consumer thread.
 *
 *     0          64          128
 *     ├──────────┼───────────┼──────────────────────────────────────┐
 *     │ producer │ consumer  │ frames                               │
 *     │ words    │ words     │ 16 × 20 ms × Int16                   │
 *     └──────────┴───────────┴──────────────────────────────────────┘
 *
 * Frames are numbered from the ring's beginning, modulo 2^32; frame n lies in slot `n & 15`. A frame never wraps, so
 * that its reader can hand it on from where it lies. All state of both ends is in their words, a cache line each, and
 * can be picked up by another thread after a crash.
 */
const FRAMES = 16;

/** Written by the producer only (Int32 index). */
const FRAMES_WRITTEN = 0;
/** Frames that the producer could not place because the ring was full. */
const FRAMES_LOST = 1;
/** Written by the consumer only (Int32 index). */
const FRAMES_READ = 16;

const HEADER_BYTES = 128;

/** Memory of a ring that holds 320 ms. */
export function frameRingMemory(sampleRateHz: number): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + FRAMES * frameBytes(sampleRateHz));
}

/** The writing end. A fresh producer on used memory goes on where the former one stopped. */
export class FrameRingProducer {
  readonly #words: Int32Array;
  readonly #samples: Int16Array;
  readonly #frameSamples: number;
  #written: number;

  constructor(memory: SharedArrayBuffer, sampleRateHz: number) {
    this.#words = wordsOf(memory, sampleRateHz);
    this.#samples = new Int16Array(memory, HEADER_BYTES);
    this.#frameSamples = frameSamples(sampleRateHz);
    this.#written = Atomics.load(this.#words, FRAMES_WRITTEN);
  }

  /** Copies one frame in; false: the ring is full, and the frame is counted as lost. */
  write(frame: Int16Array): boolean {
    if (((this.#written - Atomics.load(this.#words, FRAMES_READ)) | 0) >= FRAMES) {
      Atomics.add(this.#words, FRAMES_LOST, 1);
      return false;
    }
    this.#samples.set(frame, (this.#written & (FRAMES - 1)) * this.#frameSamples);
    this.#written = (this.#written + 1) | 0;
    Atomics.store(this.#words, FRAMES_WRITTEN, this.#written);
    return true;
  }
}

/** The reading end. A fresh consumer on used memory goes on where the former one stopped. */
export class FrameRingConsumer {
  readonly #words: Int32Array;
  readonly #frames: readonly Uint8Array[];
  #read: number;

  constructor(memory: SharedArrayBuffer, sampleRateHz: number) {
    const length = frameBytes(sampleRateHz);
    this.#words = wordsOf(memory, sampleRateHz);
    this.#frames = Array.from(
      { length: FRAMES },
      (_, slot) => new Uint8Array(memory, HEADER_BYTES + slot * length, length),
    );
    this.#read = Atomics.load(this.#words, FRAMES_READ);
  }

  /** Frames that can be read now. */
  waiting(): number {
    return (Atomics.load(this.#words, FRAMES_WRITTEN) - this.#read) | 0;
  }

  /** Frames lost by the producer since the ring was made, modulo 2^32; as of the last `waiting`. */
  get framesLost(): number {
    return this.#words[FRAMES_LOST] as number;
  }

  /** The oldest frame's little-endian bytes, in the ring itself. Only while one is waiting, and until `release`. */
  oldest(): Uint8Array {
    return this.#frames[this.#read & (FRAMES - 1)] as Uint8Array;
  }

  /** Gives the oldest frame's place back. */
  release(): void {
    this.#read = (this.#read + 1) | 0;
    Atomics.store(this.#words, FRAMES_READ, this.#read);
  }
}

function frameBytes(sampleRateHz: number): number {
  return frameSamples(sampleRateHz) * Int16Array.BYTES_PER_ELEMENT;
}

function wordsOf(memory: SharedArrayBuffer, sampleRateHz: number): Int32Array {
  const length = HEADER_BYTES + FRAMES * frameBytes(sampleRateHz);
  assert(
    memory.byteLength === length,
    `${memory.byteLength} bytes are not a frame ring of ${sampleRateHz} Hz`,
  );
  return new Int32Array(memory, 0, HEADER_BYTES / Int32Array.BYTES_PER_ELEMENT);
}
