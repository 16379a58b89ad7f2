import { LimitedMap } from '../../base/limited-map.ts';
import type { Clock } from '../../base/time.ts';

const MAX_TRIES = 5;
const WINDOW_MS = 15 * 60_000;
const MAX_PEOPLE = 20_000;

/** Counts the wrong codes that a person has sent to the shared bot. Kept in memory. */
export class CodeTries {
  readonly #clock: Clock;
  readonly #failed = new LimitedMap<{ readonly count: number; readonly sinceMs: number }>(MAX_PEOPLE);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the person may try a code: at most five wrong ones within 15 minutes. */
  allows(personId: string): boolean {
    return this.#current(personId).count < MAX_TRIES;
  }

  failed(personId: string): void {
    const { count, sinceMs } = this.#current(personId);
    this.#failed.set(personId, { count: count + 1, sinceMs });
  }

  #current(personId: string): { readonly count: number; readonly sinceMs: number } {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#failed.get(personId);
    return known && nowMs - known.sinceMs < WINDOW_MS ? known : { count: 0, sinceMs: nowMs };
  }
}
