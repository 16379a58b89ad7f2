import { TooManyAttempts } from '../../base/errors.ts';
import type { Clock } from '../../base/time.ts';
import { LimitedMap } from './limited-map.ts';

const WINDOW_MS = 15 * 60_000;
/** People share an IP address: an office, a provider's NAT. */
const IP_FACTOR = 10;
const MAX_COUNTERS = 100_000;
/** What a mail costs of its address' attempts: it lands in somebody's inbox. */
export const MAIL_COST = 3;

interface Counter {
  used: number;
  atMs: number;
}

/**
 * Bounds what strangers may have us do: mails, sign-ups, registrations. Every subject (a mail address and what is asked
 * with it) and every IP address (of IPv6 the /64) has a counter that empties within 15 minutes. In memory: a restart
 * forgives. Passwords are counted by GuessLimits.
 */
export class AttemptLimits {
  readonly #clock: Clock;
  readonly #attempts: number;
  readonly #counters = new LimitedMap<Counter>(MAX_COUNTERS);

  /** `attempts`: what a subject may have in 15 minutes; an IP address may have ten times as many. */
  constructor(clock: Clock, attempts: number) {
    this.#clock = clock;
    this.#attempts = attempts;
  }

  /** Counts an attempt from an IP address at a subject, or throws TooManyAttempts and counts nothing. */
  attempt(ip: string, subject: string | null, cost = 1): void {
    const waitsMs = [this.#waitMs(ipKey(ip), this.#ipAttempts, 1)];
    if (subject !== null) waitsMs.push(this.#waitMs(subject, this.#attempts, cost));
    const waitMs = Math.max(...waitsMs);
    if (waitMs > 0) throw new TooManyAttempts(waitMs / 1000);
    this.#count(ipKey(ip), this.#ipAttempts, 1);
    if (subject !== null) this.#count(subject, this.#attempts, cost);
  }

  /** Counts an attempt at a subject alone. False: it has had too many, and nothing was counted. */
  attemptQuietly(subject: string, cost: number): boolean {
    return this.#take(subject, this.#attempts, cost);
  }

  /** Counts an attempt from an IP address alone. False: it has had too many, and nothing was counted. */
  attemptFromQuietly(ip: string): boolean {
    return this.#take(ipKey(ip), this.#ipAttempts, 1);
  }

  get #ipAttempts(): number {
    return this.#attempts * IP_FACTOR;
  }

  /** In whole milliseconds: what adding fractions leaves over keeps nobody waiting. */
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

/** What one client has of addresses. An IPv6 address is in its eight groups: its owner has all of the last four. */
export function networkOf(ip: string): string {
  return ip.split(':').slice(0, 4).join(':');
}
