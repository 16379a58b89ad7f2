/** Runs work by key, one run per key at a time. Work requested during a run makes it run once more. */
export class KeyedRuns {
  readonly #onFailure: (error: unknown) => void;
  readonly #running = new Map<string, { readonly done: Promise<void>; again: boolean }>();

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  has(key: string): boolean {
    return this.#running.has(key);
  }

  /** Resolves when a run that started after this call has ended. Never rejects. */
  run(key: string, work: () => Promise<void>): Promise<void> {
    const running = this.#running.get(key);
    if (running) {
      running.again = true;
      return running.done;
    }
    const started = { done: Promise.resolve().then(() => this.#repeat(key, work)), again: false };
    this.#running.set(key, started);
    return started.done;
  }

  /** Resolves when nothing is running. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) {
      await Promise.all(Array.from(this.#running.values(), ({ done }) => done));
    }
  }

  async #repeat(key: string, work: () => Promise<void>): Promise<void> {
    const self = this.#running.get(key)!;
    do {
      self.again = false;
      await work().catch(this.#onFailure);
    } while (self.again);
    this.#running.delete(key);
  }
}
