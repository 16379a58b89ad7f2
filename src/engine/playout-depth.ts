import { FRAME_MS } from '../base/frame.ts';

const INITIAL_TARGET_MS = 60;
/** Two frames: a frame may arrive up to 20 ms late even when it usually arrives just before the tick. */
const MIN_TARGET_MS = 40;
const MAX_TARGET_MS = 120;
/** Audio that arrives this soon after the queue ran empty belongs to the same stream, so the gap was an underrun. */
const UNDERRUN_GAP_MS = 200;
const CLEAN_FRAMES_TO_SHRINK = 10_000 / FRAME_MS;
const DRIFT_WINDOW_FRAMES = 5_000 / FRAME_MS;
/** A real-time stream keeps the queue level within this range; audio sent in bursts exceeds it. */
const LEVEL_MS = 100;
/** A client further ahead than this is ahead on purpose, not because of a network stall. */
const MAX_SURPLUS_MS = 1_000;
/** Spacing between dropped frames. Pauses get a tenth shorter until the surplus is gone. */
const SURPLUS_SPACING_FRAMES = 200 / FRAME_MS;

/** How much audio a playout queues before it starts, and what it drops to shorten the queue. */
export interface Depth {
  readonly targetMs: number;
  /** Whether the queue was too long for a whole window, so that one quiet frame may be dropped. */
  readonly surplus: boolean;
  /** Audio resumed `gapMs` after the queue ran empty. Returns true when this was an underrun within a stream. */
  resumed(gapMs: number): boolean;
  /** Records a frame that was played, leaving `queuedMs` in the queue. */
  played(queuedMs: number): void;
  surplusDropped(): void;
}

/** Learns from a live stream how much audio to queue before playing starts. */
export class PlayoutDepth implements Depth {
  #targetMs = INITIAL_TARGET_MS;
  #cleanFrames = 0;
  #windowFrames = 0;
  #windowMinMs = Number.POSITIVE_INFINITY;
  #windowMaxMs = 0;
  /** Frames in excess of the target throughout the last window. */
  #surplusFrames = 0;
  #framesSinceDrop = 0;

  get targetMs(): number {
    return this.#targetMs;
  }

  get surplus(): boolean {
    return this.#surplusFrames > 0 && this.#framesSinceDrop >= SURPLUS_SPACING_FRAMES;
  }

  resumed(gapMs: number): boolean {
    this.#surplusFrames = 0;
    this.#clearWindow();
    if (gapMs > UNDERRUN_GAP_MS) return false;
    this.#cleanFrames = 0;
    this.#targetMs = Math.min(MAX_TARGET_MS, this.#targetMs + FRAME_MS);
    return true;
  }

  played(queuedMs: number): void {
    this.#cleanFrames++;
    if (this.#cleanFrames >= CLEAN_FRAMES_TO_SHRINK) {
      this.#cleanFrames = 0;
      this.#targetMs = Math.max(MIN_TARGET_MS, this.#targetMs - FRAME_MS);
    }
    this.#watchDrift(queuedMs);
  }

  surplusDropped(): void {
    this.#surplusFrames--;
    this.#framesSinceDrop = 0;
    this.#clearWindow();
  }

  #watchDrift(queuedMs: number): void {
    this.#framesSinceDrop++;
    this.#windowMinMs = Math.min(this.#windowMinMs, queuedMs);
    this.#windowMaxMs = Math.max(this.#windowMaxMs, queuedMs);
    this.#windowFrames++;
    if (this.#windowFrames < DRIFT_WINDOW_FRAMES) return;
    const surplusMs = this.#windowMinMs - this.#targetMs;
    const isLive = this.#windowMaxMs - this.#windowMinMs <= LEVEL_MS && surplusMs <= MAX_SURPLUS_MS;
    this.#surplusFrames = isLive ? Math.max(0, Math.floor(surplusMs / FRAME_MS)) : 0;
    this.#clearWindow();
  }

  #clearWindow(): void {
    this.#windowFrames = 0;
    this.#windowMinMs = Number.POSITIVE_INFINITY;
    this.#windowMaxMs = 0;
  }
}
