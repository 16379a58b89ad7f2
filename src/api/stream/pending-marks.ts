/** Limit on marks waiting to be played per socket. */
const MAX_MARKS = 1024;
/** Mark ids are 16-bit in the ring buffer. */
const ID_SPACE = 65_536;

/** Names of the marks waiting to be played, by the small ids used in the ring buffer. */
export class PendingMarks {
  readonly #names = new Map<number, string>();
  #nextId = 0;

  /** Adds a mark and returns its id; null at the limit. */
  add(name: string): number | null {
    if (this.#names.size >= MAX_MARKS) return null;
    const id = this.#nextId;
    this.#nextId = (id + 1) % ID_SPACE;
    this.#names.set(id, name);
    return id;
  }

  /** Removes a played mark and returns its name; undefined if it was cleared. */
  take(id: number): string | undefined {
    const name = this.#names.get(id);
    this.#names.delete(id);
    return name;
  }

  /** Removes all marks when their audio is cleared. */
  clear(): void {
    this.#names.clear();
  }
}
