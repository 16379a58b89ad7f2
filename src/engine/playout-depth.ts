import { FRAME_MS } from '../base/frame.ts';

const INITIAL_TARGET_MS = 60;
/** Two frames: one may come up to 20 ms late even when its usual time is just before the tick. */
const MIN_TARGET_MS = 40;
const MAX_TARGET_MS = 120;
/** Audio that comes so soon after the queue ran dry belonged to the same stream: that was an underrun. */
const UNDERRUN_GAP_MS = 200;
const CLEAN_FRAMES_TO_SHRINK = 10_000 / FRAME_MS;
const DRIFT_WINDOW_FRAMES = 5_000 / FRAME_MS;
/** A real-time stream keeps its level; audio sent in bursts rises and falls by more than this. */
const LEVEL_MS = 100;
/** Whoever is further ahead than this is so on purpose, and not by a network that stood still. */
const MAX_SURPLUS_MS = 1_000;
/** Between two frames of a surplus: pauses get shorter by a tenth until it is gone. */
const SURPLUS_SPACING_FRAMES = 200 / FRAME_MS;

/** How deep the queue should be before playing starts, learnt from what the stream does. */
export class PlayoutDepth {
  #targetMs = INITIAL_TARGET_MS;
  #cleanFrames = 0;
  #windowFrames = 0;
  #windowMinMs = Number.POSITIVE_INFINITY;
  #windowMaxMs = 0;
  /** Frames that a whole window had too many. */
  #surplusFrames = 0;
  #framesSinceDrop = 0;

  get targetMs(): number {
    return this.#targetMs;
  }

  /** The queue has stood too high for a whole window: one frame may go if it is quiet. */
  get surplus(): boolean {
    return this.#surplusFrames > 0 && this.#framesSinceDrop >= SURPLUS_SPACING_FRAMES;
  }

  /** Audio came again `gapMs` after the queue had run dry. True: it was an underrun in mid-stream. */
  resumed(gapMs: number): boolean {
    this.#surplusFrames = 0;
    this.#clearWindow();
    if (gapMs > UNDERRUN_GAP_MS) return false;
    this.#cleanFrames = 0;
    this.#targetMs = Math.min(MAX_TARGET_MS, this.#targetMs + FRAME_MS);
    return true;
  }

  /** A frame was played and left `queuedMs` behind it. */
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
