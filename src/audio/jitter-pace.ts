import { FRAME_MS } from '../base/frame.ts';
import type { Pace } from './time-scaler.ts';

/** Smoothing of the level, per packet. */
const LEVEL_STEP = 1 / 8;
/** Length of the windows in which the greatest depth is noted. */
const WINDOW_MS = 300;
/**
 * Off the target by more than this, or by a quarter of it, the pace changes until the level is close to it. Above it, a
 * packet and a half are usual.
 */
const MAX_EXCESS_MS = 35;
const MAX_EXCESS_PACKETS = 1.5;
const MAX_LACK_MS = 15;
const MAX_OFF_SHARE = 0.25;
const CLOSE_MS = 5;
/** Off by more than this, the change is wanted soon. */
const FAR_OFF_MS = 40;
/**
 * What may be dropped of the surplus if it is quiet: how far below the target the level may come by it, because audio comes
 * in whole packets. Half a frame less still covers a packet as late as the target allows, wherever it arrives between two
 * pulls.
 */
export const SPARE_MS = FRAME_MS / 2;
const MIN_SURPLUS_MS = FRAME_MS - SPARE_MS;

/** Compares what a jitter buffer holds with its target, and decides how fast to play. */
export class JitterPace {
  pace: Pace = 'usual';
  /** Whether the change of pace is wanted soon rather than at the best opportunity. */
  isFarOff = false;
  /** Level above the target, as of the last arrival; negative below it. */
  excessMs = 0;
  /** Consecutive arrivals at which a quiet packet was too many. */
  surplusPackets = 0;
  /** What the buffer would hold right after a packet on time, smoothed. */
  levelMs = 0;
  /** The greatest depth at an arrival in this window and in the one before. Beyond it, the level is a slower path's. */
  #mostMs = 0;
  #formerMostMs = 0;
  #windowStartMs = 0;

  /** By how many milliseconds the audio should become shorter, or longer if the pace is slower. */
  get offMs(): number {
    return Math.abs(this.excessMs);
  }

  restart(depthMs: number): void {
    this.pace = 'usual';
    this.isFarOff = false;
    this.excessMs = 0;
    this.surplusPackets = 0;
    this.levelMs = depthMs;
    this.#mostMs = depthMs;
    this.#formerMostMs = depthMs;
  }

  /** Notes what the buffer holds right after a packet that came `latenessMs` late. */
  noteArrival(depthMs: number, latenessMs: number, arrivalMs: number): void {
    if (arrivalMs - this.#windowStartMs >= WINDOW_MS) {
      this.#windowStartMs = arrivalMs;
      this.#formerMostMs = this.#mostMs;
      this.#mostMs = depthMs;
    } else if (depthMs > this.#mostMs) this.#mostMs = depthMs;
    this.levelMs += (depthMs + latenessMs - this.levelMs) * LEVEL_STEP;
  }

  /** Decides on the pace. */
  judge(targetMs: number, packetMs: number): void {
    const isFull = this.levelMs <= this.#mostMs || this.levelMs <= this.#formerMostMs;
    const heldMs = isFull ? this.levelMs : Math.max(this.#mostMs, this.#formerMostMs);
    const excessMs = heldMs - targetMs;
    this.excessMs = excessMs;
    if (this.pace !== 'usual') this.#judgeChange(excessMs);
    else if (excessMs > MAX_EXCESS_MS || excessMs < -MAX_LACK_MS)
      this.#judgeUsual(excessMs, targetMs, packetMs);
    this.surplusPackets = excessMs >= MIN_SURPLUS_MS ? this.surplusPackets + 1 : 0;
  }

  /** Notes that the delay has become shorter, or longer if `ms` is negative. */
  lower(ms: number): void {
    this.levelMs -= ms;
    this.#mostMs -= ms;
    this.#formerMostMs -= ms;
  }

  #judgeUsual(excessMs: number, targetMs: number, packetMs: number): void {
    const tolerated = targetMs * MAX_OFF_SHARE;
    if (excessMs > Math.max(packetMs * MAX_EXCESS_PACKETS, tolerated)) this.pace = 'faster';
    else if (-excessMs > tolerated) this.pace = 'slower';
    this.isFarOff = this.pace !== 'usual' && Math.abs(excessMs) > FAR_OFF_MS;
  }

  #judgeChange(excessMs: number): void {
    const isDone = this.pace === 'faster' ? excessMs <= CLOSE_MS : excessMs >= -CLOSE_MS;
    if (isDone) this.pace = 'usual';
    else if (Math.abs(excessMs) > FAR_OFF_MS) this.isFarOff = true;
  }
}
