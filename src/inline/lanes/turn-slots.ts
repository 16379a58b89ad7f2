import type { Clock } from '../../base/time.ts';

/** Limits of turns under way. */
export interface TurnLimits {
  readonly total: number;
  readonly perAccount: number;
}

/** Gives back a slot. */
export type ReleaseSlot = () => void;

/**
 * Shares the turns that may be under way at a time. Free slots go to the waiting accounts in rotation, so an account
 * with many turns does not hold up the others.
 */
export class TurnSlots {
  readonly #clock: Clock;
  readonly #limits: TurnLimits;
  readonly #taken = new Map<string, number>();
  /** Those who wait, by account. The account whose turn it is comes first. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #total = 0;

  constructor(clock: Clock, limits: TurnLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Number of turns under way. */
  get taken(): number {
    return this.#total;
  }

  /** Number of turns that wait for a slot. */
  get waiting(): number {
    let waiting = 0;
    for (const some of this.#waiting.values()) waiting += some.size;
    return waiting;
  }

  /** Resolves with the release of a slot, or with null when there was none within `withinMs`. */
  async take(accountId: string, withinMs: number): Promise<ReleaseSlot | null> {
    if (this.#hasRoom(accountId)) return this.#give(accountId);
    const { promise, resolve } = Promise.withResolvers<ReleaseSlot | null>();
    const waiting = this.#waiting.get(accountId) ?? new Set();
    const take = (): void => {
      cancel();
      resolve(this.#give(accountId));
    };
    const cancel = this.#clock.after(withinMs, () => {
      this.#leave(accountId, take);
      resolve(null);
    });
    this.#waiting.set(accountId, waiting.add(take));
    return await promise;
  }

  #hasRoom(accountId: string): boolean {
    return this.#total < this.#limits.total && (this.#taken.get(accountId) ?? 0) < this.#limits.perAccount;
  }

  #give(accountId: string): ReleaseSlot {
    this.#total += 1;
    this.#taken.set(accountId, (this.#taken.get(accountId) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(accountId);
      isHeld = false;
    };
  }

  #release(accountId: string): void {
    this.#total -= 1;
    const left = (this.#taken.get(accountId) ?? 1) - 1;
    if (left === 0) this.#taken.delete(accountId);
    else this.#taken.set(accountId, left);
    this.#wakeNext();
  }

  #wakeNext(): void {
    for (const [accountId, waiting] of this.#waiting) {
      if (!this.#hasRoom(accountId)) continue;
      const [take] = waiting;
      this.#leave(accountId, take!);
      if (this.#waiting.delete(accountId)) this.#waiting.set(accountId, waiting);
      return take!();
    }
  }

  #leave(accountId: string, take: () => void): void {
    const waiting = this.#waiting.get(accountId);
    waiting?.delete(take);
    if (waiting?.size === 0) this.#waiting.delete(accountId);
  }
}
