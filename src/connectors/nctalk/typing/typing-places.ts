/** Sessions for typing of all logins. */
export class TypingPlaces {
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  /** Returns whether there was a place. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  giveBack(): void {
    this.#free += 1;
  }
}
