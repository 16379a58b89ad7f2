import type { Clock } from '../../../base/time.ts';

const MAX_ADDRESSES = 4_096;

/** How many messages of one stranger are looked at: a token bucket per address, in a table of bounded size. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  /** True: within the limit. A full table lets go of the address it has known longest. */
  take(address: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const bucket = this.#buckets.get(address) ?? this.#insert(address, nowMs);
    const refill = ((nowMs - bucket.atMs) / 1000) * this.#perSecond;
    bucket.tokens = Math.min(this.#perSecond, bucket.tokens + refill);
    bucket.atMs = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #insert(address: string, nowMs: number): { tokens: number; atMs: number } {
    if (this.#buckets.size >= MAX_ADDRESSES) {
      const oldest = this.#buckets.keys().next().value;
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    const bucket = { tokens: this.#perSecond, atMs: nowMs };
    this.#buckets.set(address, bucket);
    return bucket;
  }
}
