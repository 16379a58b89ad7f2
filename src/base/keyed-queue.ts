/** Runs actions by key: those of one key one after the other, in the order in which they were handed in. */
export class KeyedQueue {
  /** The last action of each key that has not settled. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Number of keys with an action that has not settled. */
  get size(): number {
    return this.#last.size;
  }

  has(key: string): boolean {
    return this.#last.has(key);
  }

  /** Runs `action` once all earlier ones of this key have settled. Resolves or rejects as it does. */
  run<T>(key: string, action: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(action, action);
    this.#last.set(key, result);
    const leave = (): void => {
      if (this.#last.get(key) === result) this.#last.delete(key);
    };
    result.then(leave, leave);
    return result;
  }

  /** Resolves when the actions handed in so far have settled: those of one key, or all. */
  async settled(key?: string): Promise<void> {
    await Promise.allSettled(key === undefined ? this.#last.values() : [this.#last.get(key)]);
  }
}
