import { assert } from '../base/assert.ts';
import { frameSamples } from '../base/frame.ts';

/**
 * Layout of a frame ring: whole 20 ms frames at one sample rate in shared memory, with exactly one producer thread and
 * one consumer thread.
 *
 *     0          64          128
 *     ├──────────┼───────────┼──────────────────────────────────────┐
 *     │ producer │ consumer  │ frames                               │
 *     │ words    │ words     │ 16 or 128 × 20 ms × Int16            │
 *     └──────────┴───────────┴──────────────────────────────────────┘
 *
 * Frames are numbered from the creation of the ring, modulo 2^32; frame n is in slot `n & 15`, or `n & 127`. A frame never wraps
 * around the end, so the reader can pass it on without copying. All state of both ends is in their words, one cache
 * line each, so another thread can take over after a crash.
 */
const FRAMES = 16;
/** 2.56 s, longer than it takes to replace a thread that stands still. */
const PATIENT_FRAMES = 128;

/** Written only by the producer (Int32 index). */
const FRAMES_WRITTEN = 0;
/** Frames that the producer dropped because the ring was full. */
const FRAMES_LOST = 1;
/** Written only by the consumer (Int32 index). */
const FRAMES_READ = 16;

const HEADER_BYTES = 128;

/** A ring of frames as it is passed to its ends. */
export interface FrameRing {
  readonly sampleRateHz: number;
  readonly memory: SharedArrayBuffer;
}

/** Allocates the memory of a ring that holds 320 ms: what is older is worth nothing in a conversation. */
export function frameRingMemory(sampleRateHz: number): SharedArrayBuffer {
  return new SharedArrayBuffer(ringBytes(FRAMES, sampleRateHz));
}

/** Allocates the memory of a ring that holds 2.56 s, for a reader that would rather be late than lose a word. */
export function patientRingMemory(sampleRateHz: number): SharedArrayBuffer {
  return new SharedArrayBuffer(ringBytes(PATIENT_FRAMES, sampleRateHz));
}

/** The writing end of a ring. A new producer on used memory continues where the previous one stopped. */
export class FrameRingProducer {
  readonly #words: Int32Array;
  readonly #samples: Int16Array;
  readonly #frameSamples: number;
  readonly #frames: number;
  #written: number;

  constructor(memory: SharedArrayBuffer, sampleRateHz: number) {
    this.#frames = framesIn(memory, sampleRateHz);
    this.#words = wordsOf(memory);
    this.#samples = new Int16Array(memory, HEADER_BYTES);
    this.#frameSamples = frameSamples(sampleRateHz);
    this.#written = Atomics.load(this.#words, FRAMES_WRITTEN);
  }

  /** Copies one frame into the ring. Returns false when the ring is full; the frame is then counted as lost. */
  write(frame: Int16Array): boolean {
    if (((this.#written - Atomics.load(this.#words, FRAMES_READ)) | 0) >= this.#frames) {
      Atomics.add(this.#words, FRAMES_LOST, 1);
      return false;
    }
    this.#samples.set(frame, (this.#written & (this.#frames - 1)) * this.#frameSamples);
    this.#written = (this.#written + 1) | 0;
    Atomics.store(this.#words, FRAMES_WRITTEN, this.#written);
    return true;
  }
}

/** The reading end of a ring. A new consumer on used memory continues where the previous one stopped. */
export class FrameRingConsumer {
  readonly #words: Int32Array;
  readonly #frames: readonly Uint8Array[];
  #read: number;

  constructor(memory: SharedArrayBuffer, sampleRateHz: number) {
    const length = frameBytes(sampleRateHz);
    this.#words = wordsOf(memory);
    this.#frames = Array.from(
      { length: framesIn(memory, sampleRateHz) },
      (_, slot) => new Uint8Array(memory, HEADER_BYTES + slot * length, length),
    );
    this.#read = Atomics.load(this.#words, FRAMES_READ);
  }

  /** Number of frames ready to read. */
  waiting(): number {
    return (Atomics.load(this.#words, FRAMES_WRITTEN) - this.#read) | 0;
  }

  /** Frames the producer has lost since the ring was created, modulo 2^32, as of the last call to `waiting`. */
  get framesLost(): number {
    return this.#words[FRAMES_LOST] as number;
  }

  /** Frames read since the ring was created, modulo 2^32. */
  get framesRead(): number {
    return this.#read;
  }

  /**
   * Little-endian bytes of the oldest frame, in the ring's own memory. Call it only when a frame is ready; the bytes
   * are valid until `release`.
   */
  oldest(): Uint8Array {
    return this.#frames[this.#read & (this.#frames.length - 1)] as Uint8Array;
  }

  /** Frees the slot of the oldest frame. */
  release(): void {
    this.#read = (this.#read + 1) | 0;
    Atomics.store(this.#words, FRAMES_READ, this.#read);
  }
}

function frameBytes(sampleRateHz: number): number {
  return frameSamples(sampleRateHz) * Int16Array.BYTES_PER_ELEMENT;
}

function ringBytes(frames: number, sampleRateHz: number): number {
  return HEADER_BYTES + frames * frameBytes(sampleRateHz);
}

/** Returns the number of frames that a ring holds. */
function framesIn({ byteLength }: SharedArrayBuffer, sampleRateHz: number): number {
  const frames = [FRAMES, PATIENT_FRAMES].find((each) => ringBytes(each, sampleRateHz) === byteLength);
  assert(frames !== undefined, `${byteLength} bytes are not a frame ring of ${sampleRateHz} Hz`);
  return frames;
}

function wordsOf(memory: SharedArrayBuffer): Int32Array {
  return new Int32Array(memory, 0, HEADER_BYTES / Int32Array.BYTES_PER_ELEMENT);
}
