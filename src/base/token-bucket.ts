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
    const nowMs = this.#clock.monotonicMs();
    const { most, perSecond } = this.#size;
    this.#tokens = Math.min(most, this.#tokens + ((nowMs - this.#atMs) / 1_000) * perSecond);
    this.#atMs = nowMs;
    if (this.#tokens < tokens) return false;
    this.#tokens -= tokens;
    return true;
  }
}
