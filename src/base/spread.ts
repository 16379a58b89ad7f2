/** About half a millisecond of work. */
const AT_ONCE = 20;

/**
 * Spreads short actions that fall due together over turns of the event loop, in order, so that whatever else has arrived
 * comes in between. A few run at once.
 */
export class Spread {
  readonly #waiting: (() => void)[] = [];
  /** The first of those that wait. */
  #next = 0;
  #left = AT_ONCE;
  #isArmed = false;
  readonly #goOn = (): void => {
    this.#isArmed = false;
    this.#left = AT_ONCE;
    while (this.#left > 0 && this.#next < this.#waiting.length) {
      this.#left -= 1;
      this.#arm();
      this.#waiting[this.#next++]!();
    }
    if (this.#next < this.#waiting.length) return;
    this.#waiting.length = 0;
    this.#next = 0;
  };

  /** Runs an action, which must not throw, now or in a later turn. */
  run(action: () => void): void {
    this.#arm();
    if (this.#left === 0 || this.#waiting.length > 0) {
      this.#waiting.push(action);
      return;
    }
    this.#left -= 1;
    action();
  }

  #arm(): void {
    if (!this.#isArmed) setImmediate(this.#goOn);
    this.#isArmed = true;
  }
}
