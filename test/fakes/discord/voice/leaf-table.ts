/** Which user holds which leaf of the group's tree: all that the voice gateway knows of it. */
export class LeafTable {
  readonly #leaves = new Map<string, number>();

  get users(): readonly string[] {
    return [...this.#leaves.keys()];
  }

  leafOf(userId: string): number | null {
    return this.#leaves.get(userId) ?? null;
  }

  /** Gives the user the leftmost blank leaf (RFC 9420 section 7.7). */
  add(userId: string): void {
    const taken = new Set(this.#leaves.values());
    let leaf = 0;
    while (taken.has(leaf)) leaf += 1;
    this.#leaves.set(userId, leaf);
  }

  remove(userId: string): void {
    this.#leaves.delete(userId);
  }

  clear(): void {
    this.#leaves.clear();
  }
}
