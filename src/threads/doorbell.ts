/** Longest time between two looks, so that a missed wake-up cannot stop the audio for good. */
const MAX_WAIT_MS = 1_000;

/** Wakes another thread's event loop by shared memory: no message, no polling. Any thread may ring; one listens. */
export class Doorbell {
  readonly memory: SharedArrayBuffer;
  readonly #rings: Int32Array;
  #isListening = false;

  constructor(memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#rings = new Int32Array(memory);
  }

  /** Leaves no garbage, and waits at most for V8's short lock. */
  ring(): void {
    Atomics.add(this.#rings, 0, 1);
    Atomics.notify(this.#rings, 0);
  }

  /**
   * Calls `answer` soon after each ring, once for rings that came together, and after 1 s without any, until `stop`. The
   * bell rings itself for the latter: a time limit on each wait costs V8 a timer and the event loop a wake-up of its own.
   */
  async listen(answer: () => void): Promise<void> {
    this.#isListening = true;
    const again = setInterval(() => this.ring(), MAX_WAIT_MS).unref();
    let seen = Atomics.load(this.#rings, 0);
    while (this.#isListening) {
      await Atomics.waitAsync(this.#rings, 0, seen).value;
      seen = Atomics.load(this.#rings, 0);
      if (this.#isListening) answer();
    }
    clearInterval(again);
  }

  stop(): void {
    this.#isListening = false;
    this.ring();
  }
}
