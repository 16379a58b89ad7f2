/** Marks that may wait to be played on one socket. */
const MAX_MARKS = 1024;
/** Mark ids are 16-bit in the ring. */
const ID_SPACE = 65_536;

/** The names of the marks that a client waits for, under the small ids that travel through the ring. */
export class PendingMarks {
  readonly #names = new Map<number, string>();
  #nextId = 0;

  /** The id for a new mark; null when too many wait. */
  add(name: string): number | null {
    if (this.#names.size >= MAX_MARKS) return null;
    const id = this.#nextId;
    this.#nextId = (id + 1) % ID_SPACE;
    this.#names.set(id, name);
    return id;
  }

  /** Takes out the name of a mark that was played; undefined for one that a clear has dropped. */
  take(id: number): string | undefined {
    const name = this.#names.get(id);
    this.#names.delete(id);
    return name;
  }

  /** Forgets all: their audio was cleared. */
  clear(): void {
    this.#names.clear();
  }
}
