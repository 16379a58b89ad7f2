import { TooManyAttempts } from '../../base/errors.ts';
import type { Clock } from '../../base/time.ts';
import { type AttemptLimits, networkOf } from './attempt-limits.ts';
import { LimitedMap } from './limited-map.ts';

const MINUTE_MS = 60_000;
/** What `attempts` are counted in, and the longest wait between two guesses. */
const LONGEST_WAIT_MS = 15 * MINUTE_MS;
/** A source that has not guessed for so long begins anew. */
const FORGOTTEN_AFTER_MS = 60 * MINUTE_MS;
const WINDOW_MS = 60 * MINUTE_MS;
/** Of what a network has, how often all networks together have it at one account in an hour. */
const ACCOUNT_FACTOR = 10;
const MAX_COUNTERS = 100_000;

/** Who guesses, and at what. */
export interface Guesser {
  /** The account by its address, whether or not it exists; null: the secret names no account. */
  readonly subject: string | null;
  readonly ip: string;
  /** Names a browser that the account knows; null: it does not. */
  readonly browser: string | null;
}

/** A guess that was let through. It counts as wrong until it is told to be right. */
export interface Guess {
  right(): void;
  /** True: this one was the last that strangers have at the account for now; said once in an hour. */
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
 * Bounds guessing at passwords so that nobody can lock an owner out. A network (of IPv6 the /64) has a few guesses at
 * an account, and then waits twice as long for each. All networks together have ten times as many in an hour. A browser
 * that the account knows counts for itself alone, so that neither keeps it out. In memory: a restart forgives.
 */
export class GuessLimits {
  readonly #clock: Clock;
  readonly #attempts: number;
  readonly #networks: AttemptLimits;
  readonly #sources = new LimitedMap<Source>(MAX_COUNTERS);
  readonly #windows = new LimitedMap<Window>(MAX_COUNTERS);

  /** `attempts`: guesses that a network has at an account before it waits. `networks` bounds what it has at all of them. */
  constructor(clock: Clock, attempts: number, networks: AttemptLimits) {
    this.#clock = clock;
    this.#attempts = attempts;
    this.#networks = networks;
  }

  /** Counts a guess before it is checked, so that many at once are counted too. Throws TooManyAttempts. */
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
