import { wallMs } from '../../src/base/wall-ms.ts';
import type { Passage } from '../stalls/stalls.ts';

/** Frames whose time is remembered until they have crossed: 20 s. */
const REMEMBERED = 1_024;
/** Crossings that are kept: the last 10 s. */
const KEPT = 512;
const HEADER_BYTES = 64;

/** Int32 indices. */
const WRITTEN = 0;
const PULLED = 1;
const PUSHED = 2;
const TAKEN = 3;
const DROPPED = 4;

/** Float64 indices. What is kept begins with the times of departure, and those of arrival follow. */
const WRITTEN_AT = 0;
const PUSHED_AT = WRITTEN_AT + REMEMBERED;
const INWARD = PUSHED_AT + REMEMBERED;
const OUTWARD = INWARD + 2 * KEPT;
const NUMBERS = OUTWARD + 2 * KEPT;

/** How long the frames of one call took from thread to thread, in shared memory. Both threads count the same frames. */
export class Crossings {
  readonly memory: SharedArrayBuffer;
  readonly #counts: Int32Array;
  readonly #times: Float64Array;

  constructor(memory = new SharedArrayBuffer(HEADER_BYTES + NUMBERS * Float64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#counts = new Int32Array(memory, 0, HEADER_BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.#times = new Float64Array(memory, HEADER_BYTES);
  }

  /** Bridge thread: writes a frame. The room cannot count it earlier. */
  write(frame: () => void): void {
    const atMs = wallMs();
    frame();
    const count = this.#counts[WRITTEN]!;
    this.#times[WRITTEN_AT + (count % REMEMBERED)] = atMs;
    Atomics.store(this.#counts, WRITTEN, count + 1);
  }

  /** Engine thread: a tick pulls all that has been written. */
  pull(): void {
    const written = Atomics.load(this.#counts, WRITTEN);
    const nowMs = wallMs();
    for (let count = this.#counts[PULLED]!; count < written; count++) {
      this.#keep(INWARD, count, this.#times[WRITTEN_AT + (count % REMEMBERED)]!, nowMs);
    }
    this.#counts[PULLED] = written;
  }

  /** Engine thread: a tick pushes a frame. `frame` returns false when the ring was full. */
  push(frame: () => boolean): void {
    const count = this.#counts[PUSHED]!;
    this.#times[PUSHED_AT + (count % REMEMBERED)] = wallMs();
    const outcome = frame() ? PUSHED : DROPPED;
    this.#counts[outcome] = this.#counts[outcome]! + 1;
  }

  /** Bridge thread: has the next frame. */
  take(): void {
    const count = this.#counts[TAKEN]!;
    this.#keep(OUTWARD, count, this.#times[PUSHED_AT + (count % REMEMBERED)]!, wallMs());
    this.#counts[TAKEN] = count + 1;
  }

  /** Frames for the bridge thread for which there was no room. */
  get dropped(): number {
    return this.#counts[DROPPED]!;
  }

  /** Bridge → room. `monotonicUs` is CLOCK_MONOTONIC less the clock of this process, in microseconds. */
  inward(monotonicUs: number): Passage[] {
    return this.#passages(INWARD, PULLED, monotonicUs);
  }

  /** Room → bridge. */
  outward(monotonicUs: number): Passage[] {
    return this.#passages(OUTWARD, TAKEN, monotonicUs);
  }

  #keep(from: number, count: number, departedMs: number, arrivedMs: number): void {
    const at = from + (count % KEPT);
    this.#times[at] = departedMs;
    this.#times[at + KEPT] = arrivedMs;
  }

  #passages(from: number, counter: number, monotonicUs: number): Passage[] {
    return Array.from({ length: Math.min(KEPT, this.#counts[counter]!) }, (_, i) => ({
      fromUs: this.#times[from + i]! * 1_000 + monotonicUs,
      untilUs: this.#times[from + KEPT + i]! * 1_000 + monotonicUs,
    }));
  }
}
