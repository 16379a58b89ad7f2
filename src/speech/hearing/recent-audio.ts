import { FRAME_MS, frameSamples } from '../../base/frame.ts';

/** The last frames of a voice that nobody listens to, so that the beginning of its first word is not lost. */
export class RecentAudio {
  readonly #samples: Int16Array;
  readonly #frames: readonly Int16Array[];
  #kept = 0;

  constructor(sampleRateHz: number, keptMs: number) {
    const length = frameSamples(sampleRateHz);
    const count = keptMs / FRAME_MS;
    this.#samples = new Int16Array(count * length);
    this.#frames = Array.from({ length: count }, (_, i) =>
      this.#samples.subarray(i * length, (i + 1) * length),
    );
  }

  get lengthMs(): number {
    return Math.min(this.#kept, this.#frames.length) * FRAME_MS;
  }

  keep(frame: Int16Array): void {
    this.#frames[this.#kept % this.#frames.length]?.set(frame);
    this.#kept++;
  }

  /** Gives the kept frames, oldest first, and forgets them. */
  take(give: (frame: Int16Array) => void): void {
    const count = this.#frames.length;
    for (let i = Math.max(0, this.#kept - count); i < this.#kept; i++)
      give(this.#frames[i % count] as Int16Array);
    this.forget();
  }

  forget(): void {
    this.#kept = 0;
  }
}
