const WINDOW = 64;

/** Replay window over the last 64 packet indices (RFC 3711 section 3.3.2). */
export class ReplayWindow {
  readonly #seen = new Float64Array(WINDOW).fill(-1);
  #floor = -1;
  #highest = -1;

  /** Restarts the window after `highest`. All indices up to it count as received. */
  restart(highest: number): void {
    this.#seen.fill(-1);
    this.#floor = highest;
    this.#highest = highest;
  }

  isFresh(index: number): boolean {
    return index > this.#floor && index > this.#highest - WINDOW && this.#seen[index % WINDOW] !== index;
  }

  /** Records the index of an authenticated packet. */
  note(index: number): void {
    this.#seen[index % WINDOW] = index;
    this.#highest = Math.max(this.#highest, index);
  }
}
