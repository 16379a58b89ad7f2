const MAX = 32_767;
const MIN = -32_768;

/** The sum of voices that have no listener of their own. */
export class MixedVoices {
  readonly #frame: Int16Array;
  #isEmpty = true;

  constructor(frameSamples: number) {
    this.#frame = new Int16Array(frameSamples);
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  add(frame: Int16Array): void {
    const sum = this.#frame;
    for (let i = 0; i < sum.length; i++)
      sum[i] = Math.max(MIN, Math.min(MAX, (sum[i] as number) + (frame[i] as number)));
    this.#isEmpty = false;
  }

  /** Gives the frame, silence when nothing was added, and begins the next one. */
  take(give: (frame: Int16Array) => void): void {
    give(this.#frame);
    this.#frame.fill(0);
    this.#isEmpty = true;
  }
}
