/** Discord executes a transition after this, even if not everybody is ready. */
const TIMEOUT_MS = 2_000;

/** A change of keys or of the protocol's version that waits until everybody is ready for it. */
export class Transition {
  readonly id: number;
  readonly #waiting: Set<string>;
  readonly #timer: NodeJS.Timeout;
  readonly #execute: () => void;
  #isOver = false;

  /** Calls `execute` once: when all of `users` are ready, or after two seconds. */
  constructor(id: number, users: readonly string[], execute: () => void) {
    this.id = id;
    this.#waiting = new Set(users);
    this.#execute = execute;
    this.#timer = setTimeout(() => this.#finish(), TIMEOUT_MS);
  }

  /** The user is ready, or nobody waits for them any more. */
  ready(userId: string): void {
    this.#waiting.delete(userId);
    if (this.#waiting.size === 0) this.#finish();
  }

  cancel(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.cancel();
    this.#execute();
  }
}
