const ASKED = 0;
const AGREED = 1;
const SILENCED = 2;
const HELD = 3;
/** Float64 index. */
const PLAYED_MS = 2;

export const SPEECH_CONTROL_BYTES = 24;

/**
 * Stops the hosted speech of a call across its three threads: a handshake of three generation numbers in shared memory.
 *
 * - `asked`, by any thread: nothing that was spoken before is to be heard any more.
 * - `agreed`, by the bridge thread: it writes nothing to the ring until `silenced` is equal.
 * - `silenced`, by the engine thread: the ring is empty, and the last sample has left.
 *
 * Until then, it may be held and released again, by the bridge thread: nothing is lost.
 *
 * The engine is silent from the first tick after `asked`, even while the bridge thread still writes.
 */
export class SpeechControl {
  readonly #words: Int32Array;
  readonly #sums: Float64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.#sums = new Float64Array(memory);
  }

  get asked(): number {
    return Atomics.load(this.#words, ASKED);
  }

  get agreed(): number {
    return Atomics.load(this.#words, AGREED);
  }

  get silenced(): number {
    return Atomics.load(this.#words, SILENCED);
  }

  /** Milliseconds played since the ring was created, as of the last `silence`. */
  get playedMs(): number {
    return this.#sums[PLAYED_MS] as number;
  }

  /** Whether what is spoken waits. */
  get isHeld(): boolean {
    return Atomics.load(this.#words, HELD) !== 0;
  }

  hold(): void {
    Atomics.store(this.#words, HELD, 1);
  }

  release(): void {
    Atomics.store(this.#words, HELD, 0);
  }

  /** What is spoken afterwards is not held. */
  ask(): void {
    this.release();
    Atomics.add(this.#words, ASKED, 1);
  }

  agree(generation: number): void {
    Atomics.store(this.#words, AGREED, generation);
  }

  silence(generation: number, playedMs: number): void {
    this.#sums[PLAYED_MS] = playedMs;
    Atomics.store(this.#words, SILENCED, generation);
  }
}
