import { FRAME_MS } from '../../src/base/frame.ts';

/** PCM with the moment at which each piece of it was sent or arrived. */
export class Track {
  readonly sampleRateHz: number;
  readonly #pieces: { readonly atMs: number; readonly samples: Int16Array }[] = [];

  constructor(sampleRateHz: number) {
    this.sampleRateHz = sampleRateHz;
  }

  add(samples: Int16Array): void {
    this.#pieces.push({ atMs: performance.now(), samples });
  }

  get pieceCount(): number {
    return this.#pieces.length;
  }

  /** One piece every 20 ms from the first to the last. */
  get expectedPieceCount(): number {
    return 1 + Math.round((this.lastAtMs - this.firstAtMs) / FRAME_MS);
  }

  get firstAtMs(): number {
    return this.#pieces[0]?.atMs ?? 0;
  }

  get lastAtMs(): number {
    return this.#pieces.at(-1)?.atMs ?? 0;
  }

  /** The newest piece; empty when there is none. */
  get last(): Int16Array {
    return this.#pieces.at(-1)?.samples ?? new Int16Array();
  }

  /** Everything in one piece. */
  samples(): Int16Array {
    const all = new Int16Array(this.#pieces.reduce((sum, { samples }) => sum + samples.length, 0));
    let at = 0;
    for (const { samples } of this.#pieces) {
      all.set(samples, at);
      at += samples.length;
    }
    return all;
  }

  /** When the piece with this sample was sent or arrived. */
  timeOf(sample: number): number {
    let from = 0;
    for (const { atMs, samples } of this.#pieces) {
      from += samples.length;
      if (sample < from) return atMs;
    }
    return this.lastAtMs;
  }
}
