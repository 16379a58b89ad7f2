import { FRAME_MS } from '../base/frame.ts';

const MIN_TARGET_MS = 40;
const MAX_TARGET_MS = 120;
/** Results in a starting target of 60 ms for packets of 20 ms. */
const START_LATENESS_MS = 20;
/** Quantile of lateness that the buffer covers. Later packets are concealed. */
const QUANTILE = 0.95;
/** Step of the estimate per 20 ms of audio. It rises fast and falls by 20 ms per second. */
const STEP_MS = 8;
/**
 * The fastest packet is taken from two windows of this length, so a path that has become slower is accepted in time.
 */
const WINDOW_MS = 2_000;
/** A larger jump of the transit time means a different clock, not jitter. */
const DISCONTINUITY_MS = 2_000;

/**
 * Computes the target depth from the jitter: it tracks the 95th percentile of the packets' lateness, relative to the
 * fastest packet of the last few seconds.
 */
export class JitterTarget {
  readonly #samplesPerMs: number;
  #packetMs = FRAME_MS;
  #latenessMs = START_LATENESS_MS;
  #known = false;
  #originTimestamp = 0;
  #originMs = 0;
  #lastTransitMs = 0;
  #windowStartMs = 0;
  #fastestMs = 0;
  #formerFastestMs = 0;

  constructor(clockRateHz: number) {
    this.#samplesPerMs = clockRateHz / 1000;
  }

  /** Milliseconds of audio to hold right after a packet has arrived on time. */
  get targetMs(): number {
    const wantedMs = this.#latenessMs + this.#packetMs + FRAME_MS;
    return Math.round(Math.min(Math.max(wantedMs, MIN_TARGET_MS), MAX_TARGET_MS));
  }

  /** Forgets the sender's clock but keeps the jitter estimate. */
  restart(): void {
    this.#known = false;
  }

  observe(timestamp: number, durationSamples: number, arrivalMs: number): void {
    if (!this.#known) this.#begin(timestamp, arrivalMs);
    const sentMs = ((timestamp - this.#originTimestamp) | 0) / this.#samplesPerMs;
    const transitMs = arrivalMs - this.#originMs - sentMs;
    if (Math.abs(transitMs - this.#lastTransitMs) > DISCONTINUITY_MS) {
      this.#begin(timestamp, arrivalMs);
      return;
    }
    this.#packetMs = durationSamples / this.#samplesPerMs;
    this.#lastTransitMs = transitMs;
    this.#follow(transitMs, arrivalMs);
  }

  #begin(timestamp: number, arrivalMs: number): void {
    this.#known = true;
    this.#originTimestamp = timestamp;
    this.#originMs = arrivalMs;
    this.#windowStartMs = arrivalMs;
    this.#lastTransitMs = 0;
    this.#fastestMs = 0;
    this.#formerFastestMs = 0;
  }

  #follow(transitMs: number, arrivalMs: number): void {
    if (arrivalMs - this.#windowStartMs >= WINDOW_MS) {
      this.#windowStartMs = arrivalMs;
      this.#formerFastestMs = this.#fastestMs;
      this.#fastestMs = transitMs;
    }
    this.#fastestMs = Math.min(this.#fastestMs, transitMs);
    const latenessMs = transitMs - Math.min(this.#fastestMs, this.#formerFastestMs);
    const stepMs = (STEP_MS * this.#packetMs) / FRAME_MS;
    this.#latenessMs += latenessMs > this.#latenessMs ? QUANTILE * stepMs : (QUANTILE - 1) * stepMs;
    this.#latenessMs = Math.min(Math.max(this.#latenessMs, 0), MAX_TARGET_MS);
  }
}
