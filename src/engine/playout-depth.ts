import { FRAME_MS } from '../base/frame.ts';

const INITIAL_TARGET_MS = 60;
/** Two frames: one may come up to 20 ms late even when its usual time is just before the tick. */
const MIN_TARGET_MS = 40;
const MAX_TARGET_MS = 120;
/** Audio that comes so soon after the queue ran dry belonged to the same stream: that was an underrun. */
const UNDERRUN_GAP_MS = 200;
const CLEAN_FRAMES_TO_SHRINK = 10_000 / FRAME_MS;
const DRIFT_WINDOW_FRAMES = 5_000 / FRAME_MS;
/** A queue that was ever deeper than this above target holds a burst, not a drifting real-time stream. */
const BURST_ABOVE_TARGET_MS = 100;

/** How deep the queue should be before playing starts, learnt from what the stream does. */
export class PlayoutDepth {
  #targetMs = INITIAL_TARGET_MS;
  #cleanFrames = 0;
  #windowFrames = 0;
  #windowMinMs = Number.POSITIVE_INFINITY;
  #windowMaxMs = 0;
  #surplus = false;

  get targetMs(): number {
    return this.#targetMs;
  }

  /** The queue has stood too high for a whole window: one frame may go at the next quiet moment. */
  get surplus(): boolean {
    return this.#surplus;
  }

  /** Audio came again `gapMs` after the queue had run dry. True: it was an underrun in mid-stream. */
  resumed(gapMs: number): boolean {
    this.#resetWindow();
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
    this.#resetWindow();
  }

  #watchDrift(queuedMs: number): void {
    this.#windowMinMs = Math.min(this.#windowMinMs, queuedMs);
    this.#windowMaxMs = Math.max(this.#windowMaxMs, queuedMs);
    this.#windowFrames++;
    if (this.#windowFrames < DRIFT_WINDOW_FRAMES) return;
    const burst = this.#windowMaxMs > this.#targetMs + BURST_ABOVE_TARGET_MS;
    const surplus = !burst && this.#windowMinMs >= this.#targetMs + FRAME_MS;
    this.#resetWindow();
    this.#surplus = surplus;
  }

  #resetWindow(): void {
    this.#windowFrames = 0;
    this.#windowMinMs = Number.POSITIVE_INFINITY;
    this.#windowMaxMs = 0;
    this.#surplus = false;
  }
}
