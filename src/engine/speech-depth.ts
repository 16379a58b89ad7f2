import { FRAME_MS } from '../base/frame.ts';
import { type Depth, UNDERRUN_GAP_MS } from './playout-depth.ts';

const MAX_TARGET_MS = 120;

/**
 * Synthesized speech arrives faster than it is played. It therefore starts with its first frame, waits longer only after
 * the vendor has been late, and keeps its pace.
 */
export class SpeechDepth implements Depth {
  readonly isLive = false;
  readonly pace = 'usual';
  readonly offMs = 0;
  readonly isFarOff = false;
  #targetMs = FRAME_MS;

  get targetMs(): number {
    return this.#targetMs;
  }

  resumed(gapMs: number): boolean {
    if (gapMs > UNDERRUN_GAP_MS) return false;
    this.#targetMs = Math.min(MAX_TARGET_MS, this.#targetMs + FRAME_MS);
    return true;
  }

  played(): void {}

  shortened(): void {}
}
