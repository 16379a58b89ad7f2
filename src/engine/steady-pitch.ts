import { FRAME_MS } from '../base/frame.ts';

const RATE_HZ = 4_000;
/** 60 to 400 Hz. */
const LEAST_LAG = 10;
const MOST_LAG = 66;
const WINDOW = (2 * FRAME_MS * RATE_HZ) / 1_000;
const HOP = WINDOW / 2;
/** Share of the power that repeats itself. */
const PERIODIC = 0.6;
/** Notes keep their pitch to one lag; a voice glides. */
const SAME_LAG = 1;
const STEADY_FRAMES = 120 / FRAME_MS;

/** Notices notes: a pitch that stays where it is for longer than that of a voice. Memory is allocated by the constructor. */
export class SteadyPitch {
  readonly #step: number;
  readonly #samples = new Float64Array(WINDOW);
  #lag = 0;
  #frames = 0;

  constructor(sampleRateHz: number) {
    this.#step = sampleRateHz / RATE_HZ;
  }

  /** Takes the next 20 ms. Returns whether they are part of a note. */
  take(frame: Int16Array): boolean {
    this.#fill(frame);
    const lag = this.#bestLag();
    const isSame = lag !== 0 && Math.abs(lag - this.#lag) <= SAME_LAG;
    this.#frames = isSame ? this.#frames + 1 : 0;
    // Where a note began counts, or small steps would add up.
    if (!isSame) this.#lag = lag;
    return this.#frames >= STEADY_FRAMES;
  }

  /** The mean of some samples is filter enough. */
  #fill(frame: Int16Array): void {
    this.#samples.copyWithin(0, HOP);
    for (let i = 0; i < HOP; i++) {
      let sum = 0;
      const from = Math.floor(i * this.#step);
      const to = Math.floor((i + 1) * this.#step);
      for (let at = from; at < to; at++) sum += frame[at] as number;
      this.#samples[HOP + i] = sum / (to - from);
    }
  }

  /** 0: nothing repeats itself. */
  #bestLag(): number {
    const samples = this.#samples;
    let best = 0;
    let most = PERIODIC;
    let power = 0;
    for (let i = MOST_LAG; i < WINDOW; i++) power += (samples[i] as number) ** 2;
    if (power === 0) return 0;
    for (let lag = LEAST_LAG; lag <= MOST_LAG; lag++) {
      let sum = 0;
      let earlier = 0;
      for (let i = MOST_LAG; i < WINDOW; i++) {
        const before = samples[i - lag] as number;
        sum += (samples[i] as number) * before;
        earlier += before * before;
      }
      const share = sum / Math.sqrt(power * earlier || 1);
      if (share <= most) continue;
      most = share;
      best = lag;
    }
    return best;
  }
}
