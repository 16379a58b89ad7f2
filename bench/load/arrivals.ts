import { FRAME_MS } from '../../src/base/frame.ts';
import type { ArrivalStats } from './load-protocol.ts';

const BIN_MS = 0.25;
const BINS = 4_000;
/** A call from which nothing came for so long at the begin or the end of the count has stopped. */
const STALL_MS = 100;

/** Lateness of frames in bins of a quarter millisecond, up to a second; shared by all calls of a process. */
export class LatenessHistogram {
  readonly #bins = new Uint32Array(BINS);
  #count = 0;
  #maxMs = 0;

  add(latenessMs: number): void {
    const bin = Math.min(BINS - 1, Math.max(0, Math.floor(latenessMs / BIN_MS)));
    this.#bins[bin] = (this.#bins[bin] as number) + 1;
    this.#count++;
    if (latenessMs > this.#maxMs) this.#maxMs = latenessMs;
  }

  stats(): ArrivalStats {
    return {
      p50Ms: this.#quantile(0.5),
      p99Ms: this.#quantile(0.99),
      p999Ms: this.#quantile(0.999),
      maxMs: this.#maxMs,
    };
  }

  #quantile(share: number): number {
    let seen = 0;
    for (let bin = 0; bin < BINS; bin++) {
      seen += this.#bins[bin] as number;
      if (seen >= share * this.#count) return (bin + 1) * BIN_MS;
    }
    return this.#maxMs;
  }
}

/** Counts one call's frames between `begin` and `end` against the clock. */
export class ArrivalCounter {
  frames = 0;
  readonly #histogram: LatenessHistogram;
  #counting = false;
  #beganMs = 0;
  #endedMs = 0;
  #originMs = 0;
  #lastMs = 0;

  constructor(histogram: LatenessHistogram) {
    this.#histogram = histogram;
  }

  get counting(): boolean {
    return this.#counting;
  }

  begin(): void {
    this.#counting = true;
    this.frames = 0;
    this.#beganMs = performance.now();
    this.#originMs = this.#beganMs;
    this.#lastMs = this.#beganMs;
  }

  end(): void {
    this.#counting = false;
    this.#endedMs = performance.now();
  }

  arrived(nowMs: number): void {
    if (!this.#counting) return;
    if (this.frames === 0) this.#originMs = nowMs;
    const latenessMs = nowMs - this.#originMs - this.frames * FRAME_MS;
    // An earlier frame than the rhythm expects shows that the first one was late.
    if (latenessMs < 0) this.#originMs += latenessMs;
    this.#histogram.add(Math.max(0, latenessMs));
    this.frames++;
    this.#lastMs = nowMs;
  }

  /**
   * Frames too many (+) or too few (−) for the time from the first to the last of them; when none came for a while at
   * either end of the count, that many are missing.
   */
  deviationFrames(): number {
    const silentMs = Math.max(this.#originMs - this.#beganMs, this.#endedMs - this.#lastMs);
    if (this.frames === 0 || silentMs > STALL_MS) return -silentMs / FRAME_MS;
    return this.frames - 1 - (this.#lastMs - this.#originMs) / FRAME_MS;
  }
}
