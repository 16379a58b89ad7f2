import { LimitedMap } from '../../../../base/limited-map.ts';
import type { Clock } from '../../../../base/time.ts';

const MAX_ADDRESSES = 4_096;

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Limits the load of each address, or of each number that is called, with a token bucket, in a table of bounded size. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #buckets = new LimitedMap<Bucket>(MAX_ADDRESSES);

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  isUsedUp(address: string): boolean {
    const bucket = this.#buckets.get(address);
    return bucket !== undefined && this.#refilled(bucket).tokens < 1;
  }

  /** Takes a token. A full table drops its oldest addresses. */
  use(address: string): void {
    const bucket = this.#buckets.get(address) ?? { tokens: this.#perSecond, atMs: this.#clock.monotonicMs() };
    this.#refilled(bucket).tokens -= 1;
    this.#buckets.set(address, bucket);
  }

  #refilled(bucket: Bucket): Bucket {
    const nowMs = this.#clock.monotonicMs();
    const refill = ((nowMs - bucket.atMs) / 1000) * this.#perSecond;
    bucket.tokens = Math.min(this.#perSecond, bucket.tokens + refill);
    bucket.atMs = nowMs;
    return bucket;
  }
}
