interface Owner {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Lets several owners work at a time: no more than `each` works of one, and `total` in all. Owners who wait take turns,
 * however much one of them has to do.
 */
export class FairTurns {
  readonly #total: number;
  readonly #each: number;
  /** In the order of their turns. */
  readonly #owners = new Map<string, Owner>();
  #running = 0;

  constructor(total: number, each: number) {
    this.#total = total;
    this.#each = each;
  }

  /** Resolves or rejects as `work` does, which begins when it is its turn. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    await this.#turn(name);
    try {
      return await work();
    } finally {
      this.#leave(name);
    }
  }

  async #turn(name: string): Promise<void> {
    const owner = this.#owners.get(name) ?? { running: 0, waiting: [] };
    this.#owners.set(name, owner);
    const { promise, resolve } = Promise.withResolvers<void>();
    owner.waiting.push(resolve);
    this.#admit();
    await promise;
  }

  #leave(name: string): void {
    const owner = this.#owners.get(name)!;
    owner.running -= 1;
    this.#running -= 1;
    if (owner.running === 0 && owner.waiting.length === 0) this.#owners.delete(name);
    this.#admit();
  }

  #admit(): void {
    while (this.#running < this.#total) {
      const next = this.#next();
      if (!next) return;
      const [name, owner] = next;
      owner.running += 1;
      this.#running += 1;
      // Whoever had a turn comes last.
      this.#owners.delete(name);
      this.#owners.set(name, owner);
      owner.waiting.shift()!();
    }
  }

  #next(): [string, Owner] | null {
    for (const entry of this.#owners)
      if (entry[1].waiting.length > 0 && entry[1].running < this.#each) return entry;
    return null;
  }
}
