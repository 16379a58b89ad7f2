import { FRAME_MS } from '../base/frame.ts';
import { DelayPeaks } from './delay-peaks.ts';

/** The largest target of a path that needs it. */
export const MOST_MAX_TARGET_MS = 400;

const MIN_TARGET_MS = 40;
/** Results in a starting target of 60 ms for packets of 20 ms. */
const START_LATENESS_MS = 20;
/** Quantile of lateness that the buffer covers. Later packets are concealed. */
const QUANTILE = 0.98;
/** Step of the estimate per 20 ms of audio. It rises fast and falls by 8 ms per second. */
const STEP_MS = 8;
/**
 * The fastest and the latest packet are taken from two windows of this length. So a path that has become slower is
 * accepted in time, and one that has become better as well.
 */
const WINDOW_MS = 1_000;
/** A packet this much later than most is a peak: the path held it back. */
const PEAK_MS = 60;
/** A larger jump of the transit time means a different clock, not jitter. */
const DISCONTINUITY_MS = 2_000;

/**
 * Computes the target depth from the jitter: it tracks the 98th percentile of the packets' lateness, relative to the
 * fastest packet of the last few seconds, and covers peaks that come back. Packets that were held back together count as
 * one, so a single stall hardly raises it.
 */
export class JitterTarget {
  /** Duration of the last packet. */
  packetMs = FRAME_MS;
  readonly #samplesPerMs: number;
  readonly #maxTargetMs: number;
  readonly #peaks = new DelayPeaks();
  /** The 98th percentile. */
  #usualMs = START_LATENESS_MS;
  /** What the peaks ask for. */
  #peakMs = 0;
  #known = false;
  #originTimestamp = 0;
  #originMs = 0;
  #lastTransitMs = 0;
  #lastLateMs = 0;
  #windowStartMs = 0;
  #fastestMs = 0;
  #formerFastestMs = 0;
  #latestMs = 0;
  #formerLatestMs = 0;

  constructor(clockRateHz: number, maxTargetMs: number) {
    this.#samplesPerMs = clockRateHz / 1000;
    this.#maxTargetMs = maxTargetMs;
  }

  /** Milliseconds of audio to hold right after a packet has arrived on time. */
  get targetMs(): number {
    const wantedMs = Math.max(this.#usualMs, this.#peakMs) + this.packetMs + FRAME_MS;
    return Math.round(Math.min(Math.max(wantedMs, MIN_TARGET_MS), this.#maxTargetMs));
  }

  /** Forgets the sender's clock but keeps the jitter estimate. */
  restart(): void {
    this.#known = false;
  }

  /** Records a packet. Returns by how many milliseconds it is later than the fastest of late. */
  observe(timestamp: number, durationSamples: number, arrivalMs: number): number {
    if (!this.#known) this.#begin(timestamp, arrivalMs);
    const sentMs = ((timestamp - this.#originTimestamp) | 0) / this.#samplesPerMs;
    const transitMs = arrivalMs - this.#originMs - sentMs;
    if (Math.abs(transitMs - this.#lastTransitMs) > DISCONTINUITY_MS) {
      this.#begin(timestamp, arrivalMs);
      return 0;
    }
    this.packetMs = durationSamples / this.#samplesPerMs;
    this.#lastTransitMs = transitMs;
    return this.#follow(transitMs, arrivalMs);
  }

  #begin(timestamp: number, arrivalMs: number): void {
    this.#known = true;
    this.#originTimestamp = timestamp;
    this.#originMs = arrivalMs;
    this.#lastTransitMs = 0;
    this.#lastLateMs = Number.NEGATIVE_INFINITY;
    this.#windowStartMs = arrivalMs;
    this.#fastestMs = 0;
    this.#formerFastestMs = 0;
    // What is known of the path's jitter stays until a whole window has shown better.
    this.#latestMs = this.#usualMs;
    this.#formerLatestMs = this.#usualMs;
  }

  #follow(transitMs: number, arrivalMs: number): number {
    if (arrivalMs - this.#windowStartMs >= WINDOW_MS) this.#startWindow(transitMs, arrivalMs);
    this.#fastestMs = Math.min(this.#fastestMs, transitMs);
    const latenessMs = transitMs - Math.min(this.#fastestMs, this.#formerFastestMs);
    if (latenessMs > this.#latestMs) this.#latestMs = latenessMs;
    if (latenessMs > this.#usualMs) this.#noteLate(latenessMs, arrivalMs);
    else this.#usualMs += (QUANTILE - 1) * this.#stepMs();
    if (this.#peakMs > 0) this.#peakMs = this.#peaks.heightMs(arrivalMs);
    this.#usualMs = Math.min(Math.max(this.#usualMs, 0), this.#maxTargetMs);
    return latenessMs;
  }

  #stepMs(): number {
    return (STEP_MS * this.packetMs) / FRAME_MS;
  }

  /** Packets that come at once were held back together, the first one for the longest. */
  #noteLate(latenessMs: number, arrivalMs: number): void {
    const isHeldBack = arrivalMs - this.#lastLateMs < this.packetMs / 4;
    this.#lastLateMs = arrivalMs;
    if (isHeldBack) return;
    this.#usualMs += QUANTILE * this.#stepMs();
    if (latenessMs <= this.#usualMs + PEAK_MS) return;
    this.#peaks.note(latenessMs, arrivalMs);
    this.#peakMs = this.#peaks.heightMs(arrivalMs);
  }

  /** Once per window: what was not as late in two windows is not waited for any longer. */
  #startWindow(transitMs: number, arrivalMs: number): void {
    this.#windowStartMs = arrivalMs;
    this.#formerFastestMs = this.#fastestMs;
    this.#fastestMs = transitMs;
    this.#usualMs = Math.min(this.#usualMs, Math.max(this.#latestMs, this.#formerLatestMs));
    this.#formerLatestMs = this.#latestMs;
    this.#latestMs = 0;
  }
}
