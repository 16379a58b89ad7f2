import { FRAME_MS } from '../base/frame.ts';

const MIN_TARGET_MS = 40;
const MAX_TARGET_MS = 120;
/** Gives the starting target of 60 ms at 20 ms a packet. */
const START_LATENESS_MS = 20;
/** The quantile that the buffer covers; later packets are concealed. */
const QUANTILE = 0.95;
/** How far 20 ms of audio move the quantile's estimate: up fast, down 20 ms a second. */
const STEP_MS = 8;
/** The fastest packet is looked for in two windows of this length, so that a slower path is accepted in time. */
const WINDOW_MS = 2_000;
/** A transit time that jumps further than this is another clock, not jitter. */
const DISCONTINUITY_MS = 2_000;

/**
 * Works out how much to hold from how unevenly packets arrive: the lateness of each one against the fastest of
 * the last seconds, of which it follows the 95th percentile.
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

  /** Milliseconds of audio that should be held right after a packet on time has come in. */
  get targetMs(): number {
    const wantedMs = this.#latenessMs + this.#packetMs + FRAME_MS;
    return Math.round(Math.min(Math.max(wantedMs, MIN_TARGET_MS), MAX_TARGET_MS));
  }

  /** Forgets the sender's clock but not how bad the path is. */
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
