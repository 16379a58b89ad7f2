import { wallMs } from '../../src/base/wall-ms.ts';

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

/** Float64 indices. */
const WRITTEN_AT = 0;
const PUSHED_AT = WRITTEN_AT + REMEMBERED;
const INWARD = PUSHED_AT + REMEMBERED;
const OUTWARD = INWARD + KEPT;
const NUMBERS = OUTWARD + KEPT;

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
      this.#times[INWARD + (count % KEPT)] = nowMs - this.#times[WRITTEN_AT + (count % REMEMBERED)]!;
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
    this.#times[OUTWARD + (count % KEPT)] = wallMs() - this.#times[PUSHED_AT + (count % REMEMBERED)]!;
    this.#counts[TAKEN] = count + 1;
  }

  /** Frames for the bridge thread for which there was no room. */
  get dropped(): number {
    return this.#counts[DROPPED]!;
  }

  /** Bridge → room, in milliseconds. */
  get inwardMs(): number[] {
    return this.#kept(INWARD, PULLED);
  }

  /** Room → bridge. */
  get outwardMs(): number[] {
    return this.#kept(OUTWARD, TAKEN);
  }

  #kept(from: number, counter: number): number[] {
    return [...this.#times.subarray(from, from + Math.min(KEPT, this.#counts[counter]!))];
  }
}
