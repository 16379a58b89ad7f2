import { FRAME_MS } from '../base/frame.ts';
import { LagSearch } from './lag-search.ts';

/** The largest change of pace, per sample of output. */
const MAX_RATE_CHANGE = 0.15;
/** Lags: from the second harmonic of a high voice, 400 Hz, to a low voice, 67 Hz. */
const SHORTEST_MS = 2.5;
const LONGEST_MS = 15;
/** Large changes leave out twice as much at a time: each cross-fade is heard, however much it leaves out. */
const LARGE_SHORTEST_MS = 15;
const LARGE_LONGEST_MS = 30;
/** Up to this rate a lag that is half a sample off shifts high harmonics audibly, so every lag is compared. */
const EVERY_LAG_HZ = 8_000;
/** Place of the sound out of which `lengthen` fades. `shorten` fades into the one a longest lag after the start. */
const LENGTHEN_AT_MS = 12.5;
const MAX_FADE_MS = 10;
/** By how much a change may be larger than wanted. */
const SPARE_MS = 5;
/** Mean square below which any lag will do: −55 dBFS. */
const SILENT_POWER = 58 ** 2;
/** Share of the loudness that is remembered from frame to frame: −9 dB per second. */
const LOUDNESS_KEPT = 0.98;
/** Less alike than this at its best lag, a sound is noise. Then any lag will do, and a long one is best. */
const NOISY_LIKENESS = 0.4;
/** How much of a change an even noise hides. */
const HIDDEN_SHARE = 0.8;

/** How fast audio should be played to bring a queue to its target. */
export type Pace = 'usual' | 'faster' | 'slower';

/**
 * How soon a change is wanted. The audibility of a change is how unlike both places are, times their power relative to
 * the loudest of late: 0 to about 1, and 0 in silence. What is tolerated beyond silence begins at `first` and rises by
 * `impatience` with every frame that waits, up to `tolerance`.
 */
export interface Haste {
  readonly first: number;
  readonly impatience: number;
  readonly tolerance: number;
}

/** The delay is far from what it should be. */
export const SOON: Haste = { first: 0.05, impatience: 0.04, tolerance: 0.8 };
/** It will be within a minute or so, as by drifting clocks. For three seconds only silence will do: it may not last. */
export const SOMETIME: Haste = { first: -0.3, impatience: 0.002, tolerance: 0.5 };
/** It only saves work, so it is wanted in silence. */
export const IN_SILENCE: Haste = { first: -1, impatience: 0, tolerance: -1 };

/**
 * Makes a voice faster or slower by whole pitch periods, with a cross-fade (WSOLA: W. Verhelst and M. Roelands, ICASSP
 * 1993). Other sounds are changed by the lag at which they resemble themselves most, and silence by any. Each call makes
 * one frame of output. It prefers quiet and steady places; in others it takes the frame as it is, and the change waits.
 */
export class TimeScaler {
  readonly #samplesPerMs: number;
  readonly #frameSamples: number;
  readonly #small: LagSearch;
  readonly #large: LagSearch;
  #input: Int16Array = new Int16Array(0);
  #out: Int16Array = new Int16Array(0);
  #wanted = 0;
  /** One of both, by what is wanted. */
  #search: LagSearch;
  /** Samples by which the pace may change now. */
  #credit: number;
  #loudness = 0;
  #tolerated = 0;
  #haste: Haste | null = null;
  #likeness = 1;

  constructor(sampleRateHz: number) {
    this.#samplesPerMs = sampleRateHz / 1000;
    this.#frameSamples = this.#samplesPerMs * FRAME_MS;
    const everyLag = sampleRateHz <= EVERY_LAG_HZ;
    this.#small = new LagSearch(sampleRateHz, { shortestMs: SHORTEST_MS, longestMs: LONGEST_MS, everyLag });
    this.#large = new LagSearch(sampleRateHz, {
      shortestMs: LARGE_SHORTEST_MS,
      longestMs: LARGE_LONGEST_MS,
      everyLag,
    });
    this.#search = this.#small;
    this.#credit = this.#large.longest;
  }

  /** Length of the input that `shorten` reads when so much is wanted. */
  inputSamples(wanted: number): number {
    return this.#frameSamples + this.#searchFor(wanted).longest;
  }

  /**
   * Makes a frame of the start of `input`, leaving out about `wanted` samples or fewer. Returns how many samples of the
   * input it took.
   */
  shorten(input: Int16Array, wanted: number, haste: Haste, out: Int16Array): number {
    this.#input = input;
    this.#out = out;
    this.#wanted = wanted;
    this.#search = this.#searchFor(wanted);
    const later = this.#search.longest;
    const length = Math.floor(MAX_FADE_MS * this.#samplesPerMs);
    const lag = this.#chooseLag(later, length, haste);
    const earlier = Math.min(later - lag, this.#frameSamples);
    const fade = lag === 0 ? 0 : Math.min(length, this.#frameSamples - earlier);
    for (let i = 0; i < earlier; i++) out[i] = input[i]!;
    this.#fade(earlier, later, fade);
    for (let i = earlier + fade; i < this.#frameSamples; i++) out[i] = input[i + lag]!;
    return this.#frameSamples + lag;
  }

  /** Makes a frame of a frame of `input` or less, repeating about `wanted` samples or fewer. Returns as `shorten` does. */
  lengthen(input: Int16Array, wanted: number, haste: Haste, out: Int16Array): number {
    this.#input = input;
    this.#out = out;
    this.#wanted = wanted;
    this.#search = this.#small;
    const later = Math.floor(LENGTHEN_AT_MS * this.#samplesPerMs);
    const length = this.#frameSamples - later;
    const lag = this.#chooseLag(later, length, haste);
    for (let i = 0; i < later; i++) out[i] = input[i]!;
    this.#fade(later, later - lag, length);
    return this.#frameSamples - lag;
  }

  #searchFor(wanted: number): LagSearch {
    return wanted < this.#large.longest ? this.#small : this.#large;
  }

  /** Returns the lag by which to change the pace around `at`; 0 when it should not change here. */
  #chooseLag(at: number, length: number, haste: Haste): number {
    this.#credit = Math.min(this.#credit + MAX_RATE_CHANGE * this.#frameSamples, this.#large.longest);
    if (haste !== this.#haste) this.#tolerated = haste.first;
    this.#haste = haste;
    this.#tolerated = Math.min(this.#tolerated + haste.impatience, haste.tolerance);
    const power = meanSquare(this.#input, at, length);
    this.#loudness = Math.max(power, this.#loudness * LOUDNESS_KEPT);
    const most = Math.floor(Math.min(this.#credit, at));
    const isSilent = power < SILENT_POWER;
    if (!isSilent && this.#tolerated <= 0) return this.#refuse();
    const lag = isSilent ? this.#anyLag(Math.min(most, this.#wanted)) : this.#findLag(at, length, most);
    if (lag === 0 || this.#audibility(at - lag, length, power) > Math.max(this.#tolerated, 0))
      return this.#refuse();
    this.#credit -= lag;
    this.#tolerated = haste.first;
    return lag;
  }

  #refuse(): 0 {
    this.#likeness = 1;
    return 0;
  }

  #anyLag(longest: number): number {
    this.#likeness = 0;
    const lag = Math.floor(longest);
    // The fade of a large change must begin within the frame.
    return this.#search === this.#large && lag < this.#search.shortest ? 0 : lag;
  }

  #findLag(at: number, length: number, most: number): number {
    const search = this.#search;
    const useful = Math.floor(this.#wanted + SPARE_MS * this.#samplesPerMs);
    const longest = Math.min(most, useful);
    // Of few lags none may fit, and one that does is worth the wait.
    if (longest < search.shortest || longest < Math.min(search.middle, useful)) return 0;
    search.find(this.#input, at, length, longest);
    if (search.likeness < NOISY_LIKENESS) return this.#anyLag(longest);
    this.#likeness = search.likeness;
    return search.lag;
  }

  #audibility(earlier: number, length: number, power: number): number {
    const other = meanSquare(this.#input, earlier, length);
    const louder = Math.max(power, other);
    if (louder < SILENT_POWER) return 0;
    // An even noise hides what an onset would not.
    const hidden = this.#likeness === 0 ? (HIDDEN_SHARE * Math.min(power, other)) / louder : 0;
    return ((1 - this.#likeness) * (1 - hidden) * louder) / this.#loudness;
  }

  /**
   * Fades from one place of the input to another, at the same place of the output as the first. The power is kept however
   * alike both are.
   */
  #fade(from: number, to: number, length: number): void {
    const input = this.#input;
    const twice = 2 * this.#likeness;
    for (let i = 0; i < length; i++) {
      const share = (i + 1) / (length + 1);
      const rest = 1 - share;
      const power = share * share + rest * rest + twice * share * rest;
      const sample = (input[from + i]! * rest + input[to + i]! * share) / Math.sqrt(power);
      this.#out[from + i] = Math.round(Math.min(Math.max(sample, -32_768), 32_767));
    }
  }
}

function meanSquare(samples: Int16Array, from: number, length: number): number {
  let sum = 0;
  for (let i = from; i < from + length; i++) sum += samples[i]! * samples[i]!;
  return sum / length;
}
