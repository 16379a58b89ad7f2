import { FRAME_MS } from '../base/frame.ts';
import type { Depth } from './playout-depth.ts';

const MAX_TARGET_MS = 120;
/** Speech that arrives this soon after the queue ran empty belongs to the same utterance, so the gap was an underrun. */
const UNDERRUN_GAP_MS = 200;

/**
 * Synthesized speech arrives faster than it is played. It therefore starts with its first frame, waits longer only after
 * the vendor has been late, and is never shortened.
 */
export class SpeechDepth implements Depth {
  readonly surplus = false;
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

  surplusDropped(): void {}
}
