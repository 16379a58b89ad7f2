import { waitFor } from '../../support/wait-for.ts';

/** 60 s at 48 kHz; older audio is dropped. */
const KEPT_FRAMES = 3_000;

/** What a meeting hears of one app, at 48 kHz. */
export class HeardAudio {
  #frames: Int16Array[] = [];

  add(frame: Int16Array): void {
    this.#frames.push(frame);
    if (this.#frames.length > KEPT_FRAMES) this.#frames.shift();
  }

  /** Forgets what was heard so far, and returns the next `samples` that are. */
  async next(samples: number): Promise<Int16Array> {
    this.#frames = [];
    await waitFor('audio from the app', () => this.#length >= samples);
    const all = new Int16Array(this.#length);
    let at = 0;
    for (const frame of this.#frames) {
      all.set(frame, at);
      at += frame.length;
    }
    return all.subarray(0, samples);
  }

  get #length(): number {
    return this.#frames.reduce((sum, { length }) => sum + length, 0);
  }
}
