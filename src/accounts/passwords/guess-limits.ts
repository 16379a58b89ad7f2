import { TooManyAttempts } from '../../base/errors.ts';
import { LimitedMap } from '../../base/limited-map.ts';
import { networkOf } from '../../base/networks.ts';
import type { Clock } from '../../base/time.ts';
import type { AttemptLimits } from './attempt-limits.ts';

const MINUTE_MS = 60_000;
/** The longest wait between two guesses. The wait after the last free guess is derived from it. */
const LONGEST_WAIT_MS = 15 * MINUTE_MS;
/** A source without guesses for this long starts again. */
const FORGOTTEN_AFTER_MS = 60 * MINUTE_MS;
const WINDOW_MS = 60 * MINUTE_MS;
/** Limit of all networks together per account and hour, as a multiple of one network's limit. */
const ACCOUNT_FACTOR = 10;
const MAX_COUNTERS = 100_000;

/** The source and the target of a guess. */
export interface Guesser {
  /** The account's mail address, whether or not the account exists; null: the secret names no account. */
  readonly subject: string | null;
  readonly ip: string;
  /** Identifies a browser known to the account; null: it is not known. */
  readonly browser: string | null;
}

/** A guess that was allowed. It counts as wrong until `right` is called. */
export interface Guess {
  right(): void;
  /** Returns true when this guess reached the hourly limit of all networks for the account; only once per hour. */
  wrong(): boolean;
}

interface Source {
  guesses: number;
  lastMs: number;
  nextMs: number;
}

interface Window {
  guesses: number;
  readonly endMs: number;
  isTold: boolean;
}

/**
 * Limits password guesses in a way that does not let others lock an owner out. A network (the /64 of an IPv6 address)
 * has a few guesses per account; after that the wait doubles with each guess. All networks together have ten times as
 * many per hour. A browser known to the account has its own count, so neither limit locks it out. Kept in memory: a
 * restart resets it.
 */
export class GuessLimits {
  readonly #clock: Clock;
  readonly #attempts: number;
  readonly #networks: AttemptLimits;
  readonly #sources = new LimitedMap<Source>(MAX_COUNTERS);
  readonly #windows = new LimitedMap<Window>(MAX_COUNTERS);

  /**
   * `attempts`: guesses of a network at one account before it must wait. `networks`: limits a network's guesses at all
   * accounts.
   */
  constructor(clock: Clock, attempts: number, networks: AttemptLimits) {
    this.#clock = clock;
    this.#attempts = attempts;
    this.#networks = networks;
  }

  /** Counts a guess before it is checked, so that concurrent guesses count too. Throws TooManyAttempts. */
  begin({ subject, ip, browser }: Guesser): Guess {
    const nowMs = this.#clock.monotonicMs();
    const key = JSON.stringify([subject, browser ?? networkOf(ip)]);
    const source = this.#sourceAt(key, nowMs);
    const window = subject === null || browser !== null ? null : this.#windowOf(subject, nowMs);
    const isFull = window !== null && window.guesses >= this.#accountAttempts;
    const waitMs = Math.max(source.nextMs - nowMs, isFull ? window.endMs - nowMs : 0);
    if (waitMs > 0) throw new TooManyAttempts(waitMs / 1000);
    if (browser === null) this.#networks.attempt(ip, null);
    this.#count(key, source, nowMs);
    if (window !== null) this.#windows.set(subject!, { ...window, guesses: window.guesses + 1 });
    return {
      right: () => {
        this.#sources.delete(key);
        if (subject !== null && window !== null) this.#giveBack(subject, window.endMs);
      },
      wrong: () => subject !== null && window !== null && this.#isLastOf(subject),
    };
  }

  get #accountAttempts(): number {
    return this.#attempts * ACCOUNT_FACTOR;
  }

  #sourceAt(key: string, nowMs: number): Source {
    const known = this.#sources.get(key);
    if (known && nowMs - known.lastMs < FORGOTTEN_AFTER_MS) return known;
    return { guesses: 0, lastMs: nowMs, nextMs: nowMs };
  }

  #windowOf(subject: string, nowMs: number): Window {
    const known = this.#windows.get(subject);
    if (known && known.endMs > nowMs) return known;
    return { guesses: 0, endMs: nowMs + WINDOW_MS, isTold: false };
  }

  #count(key: string, { guesses, nextMs }: Source, nowMs: number): void {
    const more = guesses + 1;
    const beyond = more - this.#attempts;
    const waitMs = Math.min(LONGEST_WAIT_MS, (LONGEST_WAIT_MS / this.#attempts) * 2 ** Math.max(0, beyond));
    this.#sources.set(key, {
      guesses: more,
      lastMs: nowMs,
      nextMs: beyond < 0 ? nextMs : nowMs + waitMs,
    });
  }

  #giveBack(subject: string, endMs: number): void {
    const window = this.#windows.get(subject);
    if (window?.endMs === endMs) this.#windows.set(subject, { ...window, guesses: window.guesses - 1 });
  }

  #isLastOf(subject: string): boolean {
    const window = this.#windows.get(subject);
    if (!window || window.isTold || window.guesses < this.#accountAttempts) return false;
    this.#windows.set(subject, { ...window, isTold: true });
    return true;
  }
}
