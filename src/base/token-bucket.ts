import type { Clock } from './time.ts';

export interface BucketSize {
  /** What may be taken at once. */
  readonly most: number;
  /** What comes back per second. */
  readonly perSecond: number;
}

/** Limits how much happens over time, and lets bursts pass. */
export class TokenBucket {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #size: BucketSize;
  #tokens: number;
  #atMs: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>, size: BucketSize) {
    this.#clock = clock;
    this.#size = size;
    this.#tokens = size.most;
    this.#atMs = clock.monotonicMs();
  }

  /** Returns false, and takes nothing, when there is too little. */
  take(tokens: number): boolean {
    this.#refill();
    if (this.#tokens < tokens) return false;
    this.#tokens -= tokens;
    return true;
  }

  /** Returns after how many milliseconds there is enough, if nobody else takes any. */
  waitMs(tokens: number): number {
    this.#refill();
    return (Math.max(0, tokens - this.#tokens) / this.#size.perSecond) * 1_000;
  }

  #refill(): void {
    const nowMs = this.#clock.monotonicMs();
    const { most, perSecond } = this.#size;
    this.#tokens = Math.min(most, this.#tokens + ((nowMs - this.#atMs) / 1_000) * perSecond);
    this.#atMs = nowMs;
  }
}
