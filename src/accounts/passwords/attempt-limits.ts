import { TooManyAttempts } from '../../base/errors.ts';
import { LimitedMap } from '../../base/limited-map.ts';
import type { Clock } from '../../base/time.ts';

const WINDOW_MS = 15 * 60_000;
/**
 * An IP address may be shared, by an office or behind a provider's NAT, so it gets this many times the limit of a
 * subject.
 */
const IP_FACTOR = 10;
const MAX_COUNTERS = 100_000;
/** Number of attempts that a mail counts as, because it reaches a person's inbox. */
export const MAIL_COST = 3;

interface Counter {
  used: number;
  atMs: number;
}

/**
 * Rate limits for actions open to strangers: mails, sign-ups, registrations. Each subject (a mail address with the
 * action) and each IP address (the /64 of an IPv6 address) has a counter that drains within 15 minutes. Kept in memory:
 * a restart resets it. Passwords are limited by GuessLimits.
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
    const waitsMs = [this.#waitMs(ipKey(ip), this.#ipAttempts, 1)];
    if (subject !== null) waitsMs.push(this.#waitMs(subject, this.#attempts, cost));
    const waitMs = Math.max(...waitsMs);
    if (waitMs > 0) throw new TooManyAttempts(waitMs / 1000);
    this.#count(ipKey(ip), this.#ipAttempts, 1);
    if (subject !== null) this.#count(subject, this.#attempts, cost);
  }

  /** Counts an attempt at a subject only. Returns false and counts nothing when its limit is reached. */
  attemptQuietly(subject: string, cost: number): boolean {
    return this.#take(subject, this.#attempts, cost);
  }

  /** Counts an attempt from an IP address only. Returns false and counts nothing when its limit is reached. */
  attemptFromQuietly(ip: string): boolean {
    return this.#take(ipKey(ip), this.#ipAttempts, 1);
  }

  get #ipAttempts(): number {
    return this.#attempts * IP_FACTOR;
  }

  /** Returns the wait in whole milliseconds. Rounding keeps floating-point remainders from causing a wait. */
  #waitMs(key: string, most: number, cost: number): number {
    const counter = this.#counters.get(key);
    if (!counter) return 0;
    const tooMuch = this.#emptied(counter, most).used + Math.min(cost, most) - most;
    return Math.round((tooMuch * WINDOW_MS) / most);
  }

  #take(key: string, most: number, cost: number): boolean {
    if (this.#waitMs(key, most, cost) > 0) return false;
    this.#count(key, most, cost);
    return true;
  }

  #count(key: string, most: number, cost: number): void {
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

function ipKey(ip: string): string {
  return `ip ${networkOf(ip)}`;
}

/**
 * Returns the network that one client controls: the IPv4 address, or the /64 of an IPv6 address, which must be written
 * with all eight groups.
 */
export function networkOf(ip: string): string {
  return ip.split(':').slice(0, 4).join(':');
}
