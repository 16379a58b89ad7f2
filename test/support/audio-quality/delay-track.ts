import { CorrelationSearch } from './correlation-search.ts';
import { STOI_FRAME, STOI_HOP, STOI_RATE_HZ, type WindowPairs } from './stoi.ts';

/** What has been said is found in what is heard at half the rate, which keeps everything below 2.5 kHz. */
const THINNING = 2;
export const TRACK_RATE_HZ = STOI_RATE_HZ / THINNING;
const SAMPLES_PER_MS = TRACK_RATE_HZ / 1000;
const BLOCK = 64 * SAMPLES_PER_MS;
/** A block far from where the last one was found must be unmistakable, so it is longer. */
const LONG_BLOCK = 128 * SAMPLES_PER_MS;
/** Nothing is heard before it was recorded; resampling moves it by less than this. */
const EARLIEST = -4 * SAMPLES_PER_MS;
const LATEST = 640 * SAMPLES_PER_MS;
const NEAR = 20 * SAMPLES_PER_MS;
/** Correlations: the delay is what it was; another delay is right; it is right though it is far away. */
const SAME = 0.85;
const FOUND = 0.6;
const FOUND_FAR = 0.65;
/** By how much another delay must be better. */
const BETTER = 0.1;
/** Quieter blocks, relative to the loudest one, tell nothing about the delay. */
const QUIET_DB = 45;
/** Windows, 384 ms in all. */
const MAX_NOTICED_LATE = 30;
/** Windows over which a delay must last, so that what conceals a loss is not taken for a change. */
const SMOOTHED = 7;

const search = new CorrelationSearch(LONG_BLOCK, LATEST - EARLIEST);

/** One window of the STOI in what was said, and the delay with which it was heard. */
export interface TrackPoint {
  /** Start in what was said, in ms of its sender's clock. */
  readonly saidMs: number;
  /** When it was recorded, by the listener's clock. */
  readonly recordedMs: number;
  readonly delayMs: number;
  /** False where it is quiet or was not heard: the delay is that of the point before. */
  readonly matched: boolean;
}

/**
 * The delay of each window of `said` in `heard`, both at 10 kHz. `pace` is the duration of the sender's second by the
 * listener's clock.
 */
export function delayTrack(said: Float64Array, heard: Float64Array, pace: number): TrackPoint[] {
  const blocks = { said: thinned(said), heard: thinned(heard) };
  const loudness = loudestBlock(blocks.said);
  const found: Found[] = [];
  let last = firstLag(blocks, loudness);
  for (let at = 0; at + STOI_FRAME <= said.length; at += STOI_HOP) {
    const middle = (at + STOI_FRAME / 2) / THINNING;
    const recorded = Math.round(middle * pace);
    const next = isQuiet(blocks.said, middle, loudness) ? null : locate(blocks, middle, recorded, last);
    if (next !== null && next !== last) correctBefore(found, blocks, next);
    last = next ?? last;
    found.push({ middle, recorded, lag: last, matched: next !== null });
  }
  const lags = smoothed(found.map(({ lag }) => lag));
  return found.map(({ matched }, i) => pointOf(i, lags[i]!, matched, pace));
}

/** Where a window is, and how much later it is heard, in samples. */
interface Found {
  readonly middle: number;
  readonly recorded: number;
  lag: number;
  matched: boolean;
}

/** A delay is noticed some windows after it has changed: they get the new one where it fits better. */
function correctBefore(found: readonly Found[], signals: Signals, lag: number): void {
  for (const point of found.slice(-MAX_NOTICED_LATE).reverse()) {
    const match = matchAt(signals, point.middle, point.recorded + lag);
    if (match < FOUND || match <= matchAt(signals, point.middle, point.recorded + point.lag)) return;
    point.lag = lag;
    point.matched = true;
  }
}

function pointOf(i: number, lag: number, matched: boolean, pace: number): TrackPoint {
  const saidMs = (i * STOI_HOP * 1000) / STOI_RATE_HZ;
  return { saidMs, recordedMs: saidMs * pace, delayMs: lag / SAMPLES_PER_MS, matched };
}

interface Signals {
  readonly said: Float64Array;
  readonly heard: Float64Array;
}

/** The delay of the first loud block, so that the search begins near it. */
function firstLag(signals: Signals, loudness: number): number {
  for (let middle = LONG_BLOCK; middle + LONG_BLOCK < signals.said.length; middle += BLOCK) {
    if (isQuiet(signals.said, middle, loudness)) continue;
    const far = search.best(signals.said, middle, signals.heard, middle + EARLIEST);
    if (far.match >= FOUND_FAR) return far.offset + EARLIEST;
  }
  return 0;
}

/** Lag of a block; null when it was not heard. */
function locate(signals: Signals, middle: number, recorded: number, last: number): number | null {
  const match = (lag: number) => matchAt(signals, middle, recorded + lag);
  const same = bestOf(last - 1, last + 1, 1, match);
  if (same.match >= SAME) return same.lag;
  const coarse = bestOf(Math.max(last - NEAR, EARLIEST), Math.min(last + NEAR, LATEST), 2, match);
  const near = bestOf(coarse.lag - 1, coarse.lag + 1, 1, match);
  if (near.match >= FOUND && near.match >= same.match + BETTER) return near.lag;
  if (same.match >= FOUND) return same.lag;
  return farLag(signals, middle, recorded, last, same.match);
}

/** A delay that is far from the last one. The speech that follows must be heard with it, too. */
function farLag(signals: Signals, middle: number, recorded: number, last: number, lastMatch: number) {
  const far = search.best(signals.said, middle, signals.heard, recorded + EARLIEST);
  if (far.match < Math.max(FOUND_FAR, lastMatch + BETTER)) return null;
  const lag = far.offset + EARLIEST;
  const later = [1, 2].map((blocks) => {
    const match = (at: number) =>
      matchAt(signals, middle + blocks * LONG_BLOCK, recorded + blocks * LONG_BLOCK + at);
    // A voice whose pace is changed on purpose goes on with another delay.
    const reach = blocks * NEAR;
    return { now: bestOf(lag - reach, lag + reach, 2, match).match, before: match(last) };
  });
  const isHeard = later.some(({ now }) => now >= FOUND) && later.every(({ now, before }) => now > before);
  return isHeard ? lag : null;
}

function bestOf(from: number, to: number, step: number, match: (lag: number) => number) {
  let best = { lag: from, match: match(from) };
  for (let lag = from + step; lag <= to; lag += step) {
    const here = match(lag);
    if (here > best.match) best = { lag, match: here };
  }
  return best;
}

/** Normalized correlation of the block around `middle` with what is heard around `place`. */
function matchAt({ said, heard }: Signals, middle: number, place: number): number {
  let product = 0;
  let saidEnergy = 1;
  let heardEnergy = 1;
  const from = middle - BLOCK / 2;
  const to = place - BLOCK / 2;
  for (let i = 0; i < BLOCK; i++) {
    const a = said[from + i] ?? 0;
    const b = heard[to + i] ?? 0;
    product += a * b;
    saidEnergy += a * a;
    heardEnergy += b * b;
  }
  return product / Math.sqrt(saidEnergy * heardEnergy);
}

/** Every second sample, after a low-pass of three taps. */
function thinned(signal: Float64Array): Float64Array {
  const thin = new Float64Array(Math.floor(signal.length / THINNING));
  for (let i = 1; i < thin.length; i++) {
    const at = i * THINNING;
    thin[i] = (signal[at - 1]! + 2 * signal[at]! + signal[at + 1]!) / 4;
  }
  return thin;
}

function loudestBlock(signal: Float64Array): number {
  let loudest = 0;
  for (let middle = BLOCK / 2; middle < signal.length; middle += BLOCK)
    loudest = Math.max(loudest, blockEnergy(signal, middle));
  return loudest;
}

function isQuiet(signal: Float64Array, middle: number, loudest: number): boolean {
  return blockEnergy(signal, middle) < loudest * 10 ** (-QUIET_DB / 10);
}

function blockEnergy(signal: Float64Array, middle: number): number {
  let energy = 0;
  for (let i = middle - BLOCK / 2; i < middle + BLOCK / 2; i++) energy += (signal[i] ?? 0) ** 2;
  return energy;
}

function smoothed(lags: readonly number[]): number[] {
  const reach = (SMOOTHED - 1) / 2;
  return lags.map((_, i) => {
    const around = lags.slice(Math.max(i - reach, 0), i + reach + 1).sort((a, b) => a - b);
    return around[around.length >> 1]!;
  });
}

/** Each window of what was said, beside where it was heard: finds what was left out. */
export function saidPairs(track: readonly TrackPoint[]): WindowPairs {
  return {
    clean: track.map(({ saidMs }) => asSamples(saidMs)),
    heard: track.map(({ recordedMs, delayMs }) => asSamples(recordedMs + delayMs)),
  };
}

/** Each window of what was heard, beside what was said there: finds what was put in. */
export function heardPairs(track: readonly TrackPoint[], heardSamples: number): WindowPairs {
  const clean: number[] = [];
  const heard: number[] = [];
  const place = new SaidPlace(track);
  for (let at = 0; at + STOI_FRAME <= heardSamples; at += STOI_HOP) {
    const saidMs = place.at((at * 1000) / STOI_RATE_HZ);
    if (saidMs < 0 || saidMs > track.at(-1)!.saidMs) continue;
    clean.push(asSamples(saidMs));
    heard.push(at);
  }
  return { clean, heard };
}

/** What was said by the time at which it is heard. Ask for times in their order. */
export class SaidPlace {
  readonly #track: readonly TrackPoint[];
  /** When this point or a later one is heard, whichever is first: after a cut, later ones can be. */
  readonly #heardMs: readonly number[];
  #at = 0;

  constructor(track: readonly TrackPoint[]) {
    this.#track = track;
    const heardMs = track.map(({ recordedMs, delayMs }) => recordedMs + delayMs);
    for (let i = heardMs.length - 2; i >= 0; i--) heardMs[i] = Math.min(heardMs[i]!, heardMs[i + 1]!);
    this.#heardMs = heardMs;
  }

  /** Ms in what was said. Where something was put in, what was said last would go on. */
  at(heardMs: number): number {
    while (this.#heardMs[this.#at + 1]! <= heardMs) this.#at++;
    return this.#from(this.#at, heardMs);
  }

  /** The same by the next delay that is known, as where sound returns after its delay has changed in a silence. */
  next(heardMs: number): number {
    this.at(heardMs);
    const last = this.#track.length - 1;
    let point = Math.min(this.#at + 1, last);
    while (point < last && !this.#track[point]!.matched) point++;
    return this.#from(point, heardMs);
  }

  #from(point: number, heardMs: number): number {
    const { saidMs, recordedMs, delayMs } = this.#track[point]!;
    return saidMs + heardMs - recordedMs - delayMs;
  }
}

function asSamples(ms: number): number {
  return Math.round((ms * STOI_RATE_HZ) / 1000);
}
