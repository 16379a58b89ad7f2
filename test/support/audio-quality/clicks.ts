import { SaidPlace, type TrackPoint } from './delay-track.ts';

/** Pieces over which the sharpest edge of what was said is known. */
const PIECE_MS = 5;
/** How far from the place that is heard what was said may have its edges: as far as concealment repeats it. */
const REACH_MS = 80;
/** An edge is a click when it is sharper than any that was said nearby by this factor, and by this much. */
const FACTOR = 1.6;
const MARGIN = 1_500;
/** One beside silence is, too, if it stands out so much more than any that was said and is at least half as sharp. */
const CONTRAST_FACTOR = 2;
const CONTRAST_SHARE = 0.5;
/** Where nothing sharp was said, edges of so much contrast would be usual: speech begins with such ones. */
const USUAL_CONTRAST = 8;
/** What an edge stands out from: the mean edge of so long before it or after it, and never less than so much. */
const BESIDE_MS = 4;
const LEAST_BESIDE = 100;
/** Edges closer together are one click. */
const APART_MS = 10;

/**
 * Times, in ms of what is heard, of edges that `said` lacks: steps of the signal or of its slope, as where sound begins
 * at once or is cut. Both are 16-bit samples at `rateHz`. An edge is the second difference of three samples: it is
 * small wherever a voice moves, and the whole height of a step.
 */
export function clicks(
  said: Int16Array,
  heard: Int16Array,
  rateHz: number,
  track: readonly TrackPoint[],
): number[] {
  const usual = new Edges(said, rateHz);
  const edges = new Edges(heard, rateHz);
  const place = new SaidPlace(track);
  const endMs = (said.length * 1000) / rateHz;
  const found: number[] = [];
  for (let i = 0; i < heard.length; i++) {
    if (edges.height(i) <= MARGIN) continue;
    const atMs = (i * 1000) / rateHz;
    // At the start the delay may have been shorter than the first one found. After the end, comfort noise goes on like
    // what was said last.
    const places = [place.at(atMs), place.next(atMs)].map((ms) => Math.min(Math.max(ms, 0), endMs));
    const isApart = atMs - (found.at(-1) ?? Number.NEGATIVE_INFINITY) > APART_MS;
    if (isApart && isClick(edges, i, usual, places)) found.push(atMs);
  }
  return found;
}

function isClick(edges: Edges, i: number, usual: Edges, saidMs: readonly number[]): boolean {
  const sharpest = Math.max(...saidMs.map((ms) => usual.sharpestNear(ms)));
  if (edges.height(i) > FACTOR * sharpest + MARGIN) return true;
  const clearest = Math.max(USUAL_CONTRAST, ...saidMs.map((ms) => usual.clearestNear(ms)));
  return edges.height(i) > CONTRAST_SHARE * sharpest && edges.contrast(i) > CONTRAST_FACTOR * clearest;
}

/** The edges of a signal. Before its start and after its end, it is silent. */
class Edges {
  readonly #signal: Int16Array;
  /** Sum of all edges before a sample. */
  readonly #sums: Float64Array;
  readonly #beside: number;
  readonly #sharpest: Float64Array;
  readonly #clearest: Float64Array;

  constructor(signal: Int16Array, rateHz: number) {
    this.#signal = signal;
    this.#beside = Math.round((rateHz * BESIDE_MS) / 1000);
    this.#sums = new Float64Array(signal.length + 1);
    for (let i = 0; i < signal.length; i++) this.#sums[i + 1] = this.#sums[i]! + this.height(i);
    const piece = (rateHz * PIECE_MS) / 1000;
    this.#sharpest = new Float64Array(Math.ceil(signal.length / piece));
    this.#clearest = new Float64Array(this.#sharpest.length);
    for (let i = 0; i < signal.length; i++) this.#note(i, Math.floor(i / piece));
  }

  height(i: number): number {
    const signal = this.#signal;
    return Math.abs(signal[i]! - 2 * (signal[i - 1] ?? 0) + (signal[i - 2] ?? 0));
  }

  /** How much higher it is than those before it or after it are on average: the greater of both. */
  contrast(i: number): number {
    const before = this.#mean(i - 2 - this.#beside, i - 2);
    const after = this.#mean(i + 3, i + 3 + this.#beside);
    return this.height(i) / (Math.min(before, after) + LEAST_BESIDE);
  }

  sharpestNear(atMs: number): number {
    return mostNear(this.#sharpest, atMs);
  }

  clearestNear(atMs: number): number {
    return mostNear(this.#clearest, atMs);
  }

  #mean(from: number, to: number): number {
    const end = this.#signal.length;
    const clamped = (i: number) => Math.min(Math.max(i, 0), end);
    return (this.#sums[clamped(to)]! - this.#sums[clamped(from)]!) / this.#beside;
  }

  #note(i: number, piece: number): void {
    const height = this.height(i);
    this.#sharpest[piece] = Math.max(this.#sharpest[piece]!, height);
    if (height > MARGIN) this.#clearest[piece] = Math.max(this.#clearest[piece]!, this.contrast(i));
  }
}

function mostNear(pieces: Float64Array, atMs: number): number {
  const from = Math.max(Math.floor((atMs - REACH_MS) / PIECE_MS), 0);
  const to = Math.max(Math.ceil((atMs + REACH_MS) / PIECE_MS), 0);
  return pieces.subarray(from, to).reduce((most, value) => Math.max(most, value), 0);
}
