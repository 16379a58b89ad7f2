const WINDOW = 64;

/** Remembers the last 64 packet indices below the highest one (RFC 3711 section 3.3.2). */
export class ReplayWindow {
  readonly #seen = new Float64Array(WINDOW).fill(-1);
  #floor = -1;
  #highest = -1;

  /** Starts anew after `highest`: all up to it counts as seen. */
  restart(highest: number): void {
    this.#seen.fill(-1);
    this.#floor = highest;
    this.#highest = highest;
  }

  isFresh(index: number): boolean {
    return index > this.#floor && index > this.#highest - WINDOW && this.#seen[index % WINDOW] !== index;
  }

  /** Notes an index that proved authentic. */
  note(index: number): void {
    this.#seen[index % WINDOW] = index;
    this.#highest = Math.max(this.#highest, index);
  }
}
