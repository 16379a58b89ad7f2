import type { Clock } from './time.ts';

/** What waits is released within about this many steps, however much it is. */
const STEPS = 125;

/**
 * Spreads work that begins at the same time over time, as a `TurnLimit` spreads it over turns of the event loop: others get
 * the rest of each step, and no spell of only this work comes about.
 */
export class PacedTurns {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #stepMs: number;
  readonly #waiting: (() => void)[] = [];
  #isResting = false;

  constructor(clock: Pick<Clock, 'after'>, stepMs: number) {
    this.#clock = clock;
    this.#stepMs = stepMs;
  }

  /** Resolves when the caller may continue: immediately or in a later step, in call order. */
  enter(): Promise<void> {
    if (!this.#isResting) {
      this.#rest();
      return Promise.resolve();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  #rest(): void {
    this.#isResting = true;
    this.#clock.after(this.#stepMs, () => this.#step());
  }

  #step(): void {
    this.#isResting = this.#waiting.length > 0;
    if (!this.#isResting) return;
    this.#rest();
    for (const resolve of this.#waiting.splice(0, Math.ceil(this.#waiting.length / STEPS))) resolve();
  }
}
