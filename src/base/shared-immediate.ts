import type { CancelTimer } from './time.ts';

/**
 * Runs actions in the next iteration of the event loop, all by one immediate. Most are cancelled within the current
 * one.
 */
export class SharedImmediate {
  readonly #actions = new Set<() => void>();
  readonly #run = (): void => {
    this.#isArmed = false;
    const due = [...this.#actions];
    this.#actions.clear();
    for (const action of due) action();
  };
  #isArmed = false;

  /** Runs `action`, which must not throw, unless it is cancelled first. */
  run(action: () => void): CancelTimer {
    if (!this.#isArmed) setImmediate(this.#run);
    this.#isArmed = true;
    this.#actions.add(action);
    return () => this.#actions.delete(action);
  }
}
