import type { MediaFrame } from './rtp-datagram.ts';

/** So many later frames are waited for before one counts as lost. */
const PATIENCE_FRAMES = 8;
/** A bigger step is a new start. */
const LARGEST_STEP = 1_000;

/** Puts the frames of one sender into the order of their sequence numbers; a lost one comes out as null. */
export class ReceptionOrder {
  readonly #waiting = new Map<number, MediaFrame>();
  #next: number | null = null;

  /** What can be played now that `frame` is here. A frame that comes twice or too late adds nothing. */
  add(frame: MediaFrame): readonly (MediaFrame | null)[] {
    this.#next ??= frame.sequence;
    const ahead = (frame.sequence - this.#next) & 0xffff;
    if (ahead >= 0x8000) return [];
    if (ahead > LARGEST_STEP) {
      this.#waiting.clear();
      this.#next = frame.sequence;
    }
    this.#waiting.set(frame.sequence, frame);
    const played: (MediaFrame | null)[] = [];
    while (this.#waiting.size > 0) {
      const ready = this.#waiting.get(this.#next) ?? null;
      if (!ready && this.#waiting.size < PATIENCE_FRAMES) break;
      this.#waiting.delete(this.#next);
      this.#next = (this.#next + 1) & 0xffff;
      played.push(ready);
    }
    return played;
  }
}
