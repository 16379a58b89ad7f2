import { FRAME_MS } from '../base/frame.ts';

const SEARCHED_MS = 3_200;
/** The search forgets one of these at a time. */
const PARTS = 8;
const PART_FRAMES = SEARCHED_MS / PARTS / FRAME_MS;
/** The least power of so many frames of steady noise lies below their mean. */
const BIAS = 1.6;
/** Share of what was before, in the power whose minimum is sought. */
const SMOOTHING = 0.7;

/**
 * How loud the noise behind a voice is: the least power within 3.2 s, as speech has pauses and steady noise
 * has none. At first, it is the least so far.
 */
export class SoundFloor {
  /** 0 to 1. */
  power = 0;
  readonly #least = new Float64Array(PARTS).fill(Number.POSITIVE_INFINITY);
  #smooth = Number.NaN;
  #part = 0;
  #frame = 0;

  /** Takes the power of the next 20 ms. */
  take(power: number): void {
    const before = Number.isNaN(this.#smooth) ? power : this.#smooth;
    const smooth = before + (1 - SMOOTHING) * (power - before);
    this.#smooth = smooth;
    if (this.#frame === 0 || smooth < (this.#least[this.#part] as number)) this.#least[this.#part] = smooth;
    this.#frame = (this.#frame + 1) % PART_FRAMES;
    if (this.#frame === 0) this.#part = (this.#part + 1) % PARTS;
    this.power = BIAS * this.#leastOfAll();
  }

  #leastOfAll(): number {
    let least = this.#least[0] as number;
    for (let part = 1; part < PARTS; part++)
      if ((this.#least[part] as number) < least) least = this.#least[part] as number;
    return least;
  }
}
