import { loadWaking, type Waking } from '../native/waker.ts';

/** Longest time between two answers, so that a missed wake-up cannot stop the audio for good. */
const MAX_WAIT_MS = 1_000;
/** What `ring` rings by itself. */
const ALL = -1;
/** Indices into the memory: what was rung since the last answer, and the waker of the thread that listens. */
const RUNG = 0;
const WAKER = 1;
const CELLS = 2;

/** Null without the addon: threads then wake each other through V8. */
const loaded = loadWaking();
const NATIVE = typeof loaded === 'string' ? null : loaded;

/** Wakes another thread's event loop by shared memory: no message, no polling. Any thread may ring; one listens. */
export class Doorbell {
  /** Doorbells that this thread listens to by its waker. */
  static readonly #listening = new Set<Doorbell>();
  /** The number of this thread's waker; 0 before it first listens. */
  static #ownWaker = 0;

  readonly memory: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #waking: Waking | null;
  #answer: ((rung: number) => void) | null = null;
  #again: NodeJS.Timeout | null = null;

  constructor(
    memory = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT),
    waking: Waking | null = NATIVE,
  ) {
    this.memory = memory;
    this.#cells = new Int32Array(memory);
    this.#waking = waking;
  }

  /** Rings for each bit of `bits`. Leaves no garbage. With the addon it takes no lock, else V8's. */
  ring(bits = 1): void {
    Atomics.or(this.#cells, RUNG, bits);
    const waker = Atomics.load(this.#cells, WAKER);
    if (waker > 0) this.#waking?.wake(waker);
    else Atomics.notify(this.#cells, RUNG);
  }

  /**
   * Calls `answer` soon after a ring, once for rings that came together, with the bits that were rung, until `stop`. All
   * bits are rung once a second.
   */
  listen(answer: (rung: number) => void): void {
    this.#answer = answer;
    this.#again = setInterval(() => this.ring(ALL), MAX_WAIT_MS).unref();
    const waker = this.#waking === null ? 0 : Doorbell.#wakerOfThread(this.#waking);
    Atomics.store(this.#cells, WAKER, waker);
    if (waker > 0) Doorbell.#listening.add(this);
    else void this.#waitForRings();
    // For rings from before, which another thread may not have answered.
    if (Atomics.load(this.#cells, RUNG) !== 0) this.ring();
  }

  stop(): void {
    if (this.#again !== null) clearInterval(this.#again);
    this.#answer = null;
    Doorbell.#listening.delete(this);
    Atomics.notify(this.#cells, RUNG);
  }

  static #wakerOfThread(waking: Waking): number {
    if (Doorbell.#ownWaker === 0) Doorbell.#ownWaker = waking.listen(Doorbell.#answerAll);
    return Doorbell.#ownWaker;
  }

  static readonly #answerAll = (): void => {
    for (const doorbell of Doorbell.#listening) doorbell.#answerRung();
  };

  #answerRung(): void {
    const rung = Atomics.exchange(this.#cells, RUNG, 0);
    if (rung !== 0) this.#answer?.(rung);
  }

  /** A time limit on each wait would cost V8 a timer and the event loop a wake-up of its own. */
  async #waitForRings(): Promise<void> {
    while (this.#answer !== null) {
      await Atomics.waitAsync(this.#cells, RUNG, 0).value;
      this.#answerRung();
    }
  }
}
