/** Wakes one waiter. A signal without a waiter is kept for the next one. */
export class WakeSignal {
  #isRaised = false;
  #waiting: (() => void) | null = null;

  raise(): void {
    this.#isRaised = true;
    this.#waiting?.();
    this.#waiting = null;
  }

  /** Resolves at the next signal, or at once if there was one since the last call. */
  async raised(): Promise<void> {
    if (!this.#isRaised)
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    this.#isRaised = false;
  }
}
