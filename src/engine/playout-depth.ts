import { DelayPeaks } from '../audio/delay-peaks.ts';
import type { Pace } from '../audio/time-scaler.ts';
import { FRAME_MS } from '../base/frame.ts';

const INITIAL_TARGET_MS = 60;
/** Two frames: a frame may arrive up to 20 ms late even when it usually arrives just before the tick. */
const MIN_TARGET_MS = 40;
const MAX_TARGET_MS = 400;
/** What the target has above this, it loses ten times as fast. */
const USUAL_TARGET_MS = 120;
/** Audio that arrives this soon after the queue ran empty belongs to the same stream, so the gap was an underrun. */
export const UNDERRUN_GAP_MS = 200;
/** What comes later than this after the queue ran empty is another stream, and begins as it was written. */
export const SAME_STREAM_MS = 1_000;
/** A live stream that is silent for longer has not been held back by the network. */
const MAX_STALL_MS = 400;
/** Underruns of a live stream this far apart are chance, except when those before came as far apart (`DelayPeaks`). */
const RECURRING_FRAMES = 3_000 / FRAME_MS;
const CLEAN_FRAMES_TO_SHRINK = 10_000 / FRAME_MS;
const CLEAN_FRAMES_TO_SHRINK_FAR = 1_000 / FRAME_MS;
const WINDOW_FRAMES = 500 / FRAME_MS;
/** Windows over which a stream is judged whose level varies more than that of a steady one. */
const LONG_WINDOWS = 6;
/** A real-time stream keeps the queue level within this range; audio sent in bursts exceeds it. */
const LEVEL_MS = 100;
/** A real-time stream over a bad network keeps it within this range. */
const UNSTEADY_LEVEL_MS = 400;
/** A client further ahead than this is ahead on purpose, not because of a network stall. */
const MAX_SURPLUS_MS = 1_000;
/** What the pace is changed for, until it is close. */
const MIN_OFF_MS = 1.5 * FRAME_MS;
const CLOSE_MS = 5;
/** Off by more than this, the change is wanted soon. */
const FAR_OFF_MS = 40;
/** The queue is too short when it falls below the first share of the target. It is lengthened to the second. */
const LOW_SHARE = 0.25;
const REFILLED_SHARE = 0.5;

/** How much audio a playout queues before it starts, and how it comes back to that. */
export interface Depth {
  /** Of a frame, this is its own length and what is queued behind it. */
  readonly targetMs: number;
  /** Whether the stream is sent in real time, so that where it stops, it has been interrupted. */
  readonly isLive: boolean;
  /** How fast to play. */
  readonly pace: Pace;
  /** By how many milliseconds to shorten the audio, or to lengthen it if the pace is slower. */
  readonly offMs: number;
  /** Whether that is wanted soon rather than at the best opportunity. */
  readonly isFarOff: boolean;
  /** Audio resumed `gapMs` after the queue ran empty. Returns true when this was an underrun within a stream. */
  resumed(gapMs: number): boolean;
  /** Records a frame that was played, leaving `queuedMs` in the queue. */
  played(queuedMs: number): void;
  /** Records that the audio was shortened, or lengthened if `ms` is negative. */
  shortened(ms: number): void;
}

/** Learns from a live stream how much audio to queue before playing starts. */
export class PlayoutDepth implements Depth {
  isLive = false;
  pace: Pace = 'usual';
  isFarOff = false;
  #targetMs = INITIAL_TARGET_MS;
  readonly #peaks = new DelayPeaks();
  /** What stalls that come back ask for. */
  #peakMs = 0;
  /** Time of the stream so far. */
  #nowMs = 0;
  #cleanFrames = 0;
  #framesSinceUnderrun = 0;
  #excessMs = 0;
  #isResuming = false;
  /** How far above the target the client began, which it does on purpose. Null until the first window of a stream is over. */
  #leadMs: number | null = null;
  /** Total by which the audio was shortened. Levels are noted as if it had not been. */
  #shortenedMs = 0;
  #windowFrames = 0;
  #leastMs = Number.POSITIVE_INFINITY;
  #mostMs = Number.NEGATIVE_INFINITY;
  #windows = 0;
  #longLeastMs = Number.POSITIVE_INFINITY;
  #longMostMs = Number.NEGATIVE_INFINITY;

  get targetMs(): number {
    return Math.max(this.#targetMs, this.#peakMs);
  }

  get offMs(): number {
    return Math.abs(this.#excessMs);
  }

  resumed(gapMs: number): boolean {
    this.#startWindow();
    this.#startLongWindow();
    this.#setExcess(0);
    this.#notePeak(gapMs);
    if (gapMs > SAME_STREAM_MS) this.#leadMs = null;
    this.#isResuming = gapMs <= UNDERRUN_GAP_MS;
    if (!this.#isResuming) {
      this.isLive = false;
      return false;
    }
    const most = this.isLive ? MAX_TARGET_MS : Math.max(USUAL_TARGET_MS, this.#targetMs);
    const isRecurring = !this.isLive || this.#framesSinceUnderrun <= RECURRING_FRAMES;
    if (isRecurring) this.#targetMs = Math.min(most, this.#targetMs + FRAME_MS);
    this.#cleanFrames = 0;
    this.#framesSinceUnderrun = 0;
    return true;
  }

  #notePeak(gapMs: number): void {
    if (gapMs <= MAX_STALL_MS) this.#nowMs += gapMs;
    if (!this.isLive || gapMs > MAX_STALL_MS) return;
    this.#peaks.note(Math.min(this.targetMs + gapMs, MAX_TARGET_MS), this.#nowMs);
    this.#peakMs = this.#peaks.heightMs(this.#nowMs);
  }

  played(queuedMs: number): void {
    if (this.#isResuming && this.isLive) this.#setExcess(Math.min(queuedMs - this.targetMs, 0));
    this.#isResuming = false;
    this.#nowMs += FRAME_MS;
    this.#cleanFrames++;
    this.#framesSinceUnderrun++;
    if (this.#cleanFrames >= CLEAN_FRAMES_TO_SHRINK_FAR) this.#shrink();
    this.#watch(queuedMs + this.#shortenedMs);
  }

  #shrink(): void {
    if (this.#targetMs <= USUAL_TARGET_MS && this.#cleanFrames < CLEAN_FRAMES_TO_SHRINK) return;
    this.#cleanFrames = 0;
    this.#targetMs = Math.max(MIN_TARGET_MS, this.#targetMs - FRAME_MS);
  }

  shortened(ms: number): void {
    this.#shortenedMs += ms;
    this.#excessMs -= ms;
    const isClose = this.pace === 'faster' ? this.#excessMs <= CLOSE_MS : this.#excessMs >= -CLOSE_MS;
    if (isClose) this.#setExcess(0);
  }

  #setExcess(excessMs: number): void {
    this.#excessMs = excessMs;
    this.isFarOff = Math.abs(excessMs) > FAR_OFF_MS;
    if (excessMs === 0) this.pace = 'usual';
    else this.pace = excessMs > 0 ? 'faster' : 'slower';
  }

  #watch(levelMs: number): void {
    if (levelMs < this.#leastMs) this.#leastMs = levelMs;
    if (levelMs > this.#mostMs) this.#mostMs = levelMs;
    this.#windowFrames++;
    if (this.#windowFrames >= WINDOW_FRAMES) this.#endWindow();
  }

  #endWindow(): void {
    if (this.#peakMs > 0) this.#peakMs = this.#peaks.heightMs(this.#nowMs);
    this.#judge();
    this.#longLeastMs = Math.min(this.#longLeastMs, this.#leastMs);
    this.#longMostMs = Math.max(this.#longMostMs, this.#mostMs);
    this.#windows++;
    if (this.#windows === LONG_WINDOWS) this.#judgeLong();
    this.#startWindow();
  }

  #judge(): void {
    const leastMs = this.#leastMs - this.#shortenedMs;
    const aheadMs = leastMs - this.targetMs;
    this.#leadMs ??= Math.max(aheadMs, 0);
    const surplusMs = aheadMs - this.#leadMs;
    this.isLive = this.#mostMs - this.#leastMs <= LEVEL_MS && aheadMs <= MAX_SURPLUS_MS;
    if (!this.isLive) return this.#setExcess(0);
    const wasFarOff = this.isFarOff && this.pace !== 'usual';
    const isBegun = this.pace === 'faster' && surplusMs + FRAME_MS > CLOSE_MS;
    const isLow = leastMs < this.targetMs * LOW_SHARE;
    if (isLow) this.#setExcess(leastMs - this.targetMs * REFILLED_SHARE);
    else this.#setExcess(surplusMs >= MIN_OFF_MS || isBegun ? surplusMs + FRAME_MS : 0);
    this.isFarOff ||= wasFarOff;
  }

  /** A stream over a bad network gets half of the range of its level above the target, in case it becomes worse. */
  #judgeLong(): void {
    const rangeMs = this.#longMostMs - this.#longLeastMs;
    const aheadMs = this.#longLeastMs - this.#shortenedMs - this.targetMs;
    const surplusMs = aheadMs - (this.#leadMs ?? 0);
    const isLate = rangeMs <= UNSTEADY_LEVEL_MS && aheadMs <= MAX_SURPLUS_MS;
    if (!this.isLive && isLate) this.#setExcess(Math.max(surplusMs - rangeMs / 2, 0));
    this.#startLongWindow();
  }

  #startWindow(): void {
    this.#windowFrames = 0;
    this.#leastMs = Number.POSITIVE_INFINITY;
    this.#mostMs = Number.NEGATIVE_INFINITY;
  }

  #startLongWindow(): void {
    this.#windows = 0;
    this.#longLeastMs = Number.POSITIVE_INFINITY;
    this.#longMostMs = Number.NEGATIVE_INFINITY;
  }
}
