import { TooManyAttempts } from '../../base/errors.ts';
import { LimitedMap } from '../../base/limited-map.ts';
import { networkOf, siteOf } from '../../base/networks.ts';
import type { Clock } from '../../base/time.ts';

const WINDOW_MS = 15 * 60_000;
/**
 * An IP address may be shared, by an office or behind a provider's NAT, so it gets this many times the limit of a
 * subject.
 */
const IP_FACTOR = 10;
/** Someone who has many addresses has them in one /24 or /48, so that gets this many times the limit of an address. */
const SITE_FACTOR = 4;
const MAX_COUNTERS = 100_000;
/** Number of attempts that a mail counts as, because it reaches a person's inbox. */
export const MAIL_COST = 3;

interface Counter {
  used: number;
  atMs: number;
}

/** A counter, its limit, and how much of it an attempt takes. */
interface Taking {
  readonly key: string;
  readonly most: number;
  readonly cost: number;
}

/**
 * Rate limits for actions open to strangers: mails, sign-ups, registrations. Each subject (a mail address with the
 * action), each IP address (the /64 of an IPv6 address) and the network around it (/24, /48) has a counter that drains
 * within 15 minutes. Kept in memory: a restart resets it. Passwords are limited by GuessLimits.
 */
export class AttemptLimits {
  readonly #clock: Clock;
  readonly #attempts: number;
  readonly #counters = new LimitedMap<Counter>(MAX_COUNTERS);

  /** `attempts`: limit of a subject per 15 minutes. An IP address has ten times that limit. */
  constructor(clock: Clock, attempts: number) {
    this.#clock = clock;
    this.#attempts = attempts;
  }

  /**
   * Counts an attempt from an IP address at a subject. Throws TooManyAttempts and counts nothing when a limit is
   * reached.
   */
  attempt(ip: string, subject: string | null, cost = 1): void {
    const takings = this.#takingsOf(ip);
    if (subject !== null) takings.push({ key: subject, most: this.#attempts, cost });
    const waitMs = Math.max(...takings.map((taking) => this.#waitMs(taking)));
    if (waitMs > 0) throw new TooManyAttempts(waitMs / 1000);
    for (const taking of takings) this.#count(taking);
  }

  /** Counts an attempt at a subject only. Returns false and counts nothing when its limit is reached. */
  attemptQuietly(subject: string, cost: number): boolean {
    return this.#take([{ key: subject, most: this.#attempts, cost }]);
  }

  /** Counts an attempt from an IP address only. Returns false and counts nothing when its limit is reached. */
  attemptFromQuietly(ip: string): boolean {
    return this.#take(this.#takingsOf(ip));
  }

  #takingsOf(ip: string): Taking[] {
    const most = this.#attempts * IP_FACTOR;
    return [
      { key: `ip ${networkOf(ip)}`, most, cost: 1 },
      { key: `site ${siteOf(ip)}`, most: most * SITE_FACTOR, cost: 1 },
    ];
  }

  /** Returns the wait in whole milliseconds. Rounding keeps floating-point remainders from causing a wait. */
  #waitMs({ key, most, cost }: Taking): number {
    const counter = this.#counters.get(key);
    if (!counter) return 0;
    const tooMuch = this.#emptied(counter, most).used + Math.min(cost, most) - most;
    return Math.round((tooMuch * WINDOW_MS) / most);
  }

  #take(takings: readonly Taking[]): boolean {
    if (takings.some((taking) => this.#waitMs(taking) > 0)) return false;
    for (const taking of takings) this.#count(taking);
    return true;
  }

  #count({ key, most, cost }: Taking): void {
    const counter = this.#counters.get(key) ?? { used: 0, atMs: this.#clock.monotonicMs() };
    this.#emptied(counter, most).used += Math.min(cost, most);
    this.#counters.set(key, counter);
  }

  #emptied(counter: Counter, most: number): Counter {
    const nowMs = this.#clock.monotonicMs();
    counter.used = Math.max(0, counter.used - ((nowMs - counter.atMs) * most) / WINDOW_MS);
    counter.atMs = nowMs;
    return counter;
  }
}
