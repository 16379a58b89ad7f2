import { LimitedMap } from '../../../base/limited-map.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
const MAX_CONVERSATIONS = 10_000;

/** How long to leave a conversation alone after Teams has asked for it, mostly without saying for how long. */
export class ThrottlePauses {
  readonly #random: () => number;
  /** Failures in a row. */
  readonly #failures = new LimitedMap<number>(MAX_CONVERSATIONS);

  /** `random`: 0 to 1. */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Returns the pause after another failure: what Teams says, or doubled each time, and up to half of it longer. */
  next(conversation: string, saidMs: number | null): number {
    const failures = this.#failures.get(conversation) ?? 0;
    this.#failures.set(conversation, failures + 1);
    if (saidMs !== null) return saidMs;
    const pauseMs = Math.min(FIRST_MS * 2 ** failures, LONGEST_MS);
    return Math.round(pauseMs * (1 + this.#random() / 2));
  }

  succeeded(conversation: string): void {
    this.#failures.delete(conversation);
  }
}
