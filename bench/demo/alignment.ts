import { FRAME_MS } from '../../src/base/frame.ts';
import { type Span, samplesIn } from './script.ts';

const WINDOW_MS = 150;
const MAX_DELAY_MS = 1_000;
/** A window is looked for this far from where the one before it was, before it is looked for anywhere. */
const WANDER_MS = 20;
/** A window of what was heard that is less alike than this is something else. */
const MIN_CORRELATION = 0.8;
/** Pauses between words say nothing: windows below this amplitude (RMS) are left out. */
const MIN_AMPLITUDE = 150;

/** A stretch of what was sent, and where it is in what was heard. */
export interface AlignedWindow {
  readonly at: number;
  readonly lengthSamples: number;
  /** Samples from its place in the one recording to its place in the other; null: it is not there. */
  readonly lag: number | null;
  /** What differs is this much weaker than what was sent; -Infinity when it is not there. */
  readonly snrDb: number;
}

/**
 * Finds the sounds of `spans`, in windows of 150 ms, in what was heard by normalized cross-correlation. `offset` is the
 * sample of `heard` that was recorded when sample 0 was sent: nothing is looked for before that.
 */
export function align(
  sent: Int16Array,
  heard: Int16Array,
  spans: readonly Span[],
  offset: number,
): AlignedWindow[] {
  const anyLag = { first: offset - samplesIn(FRAME_MS), last: offset + samplesIn(MAX_DELAY_MS) };
  const wander = samplesIn(WANDER_MS);
  const lengthSamples = samplesIn(WINDOW_MS);
  let near = anyLag;
  return windowStarts(spans)
    .filter((at) => amplitude(sent, at, lengthSamples) >= MIN_AMPLITUDE)
    .map((at) => {
      let best = bestLag(sent, heard, { at, lengthSamples }, near);
      // The audio may have paused, and gone on later than before.
      if (best.correlation < MIN_CORRELATION) best = bestLag(sent, heard, { at, lengthSamples }, anyLag);
      if (best.correlation < MIN_CORRELATION) return { at, lengthSamples, lag: null, snrDb: -Infinity };
      near = { first: best.lag - wander, last: best.lag + wander };
      return {
        at,
        lengthSamples,
        lag: best.lag,
        snrDb: snrDb(sent, at, heard, at + best.lag, lengthSamples),
      };
    });
}

function windowStarts(spans: readonly Span[]): number[] {
  return spans.flatMap(({ fromMs, toMs }) => {
    const count = Math.floor((toMs - fromMs) / WINDOW_MS);
    return Array.from({ length: count }, (_, index) => samplesIn(fromMs + index * WINDOW_MS));
  });
}

function bestLag(
  sent: Int16Array,
  heard: Int16Array,
  window: { readonly at: number; readonly lengthSamples: number },
  lags: { readonly first: number; readonly last: number },
): { lag: number; correlation: number } {
  let best = { lag: lags.first, correlation: 0 };
  for (let lag = lags.first; lag <= lags.last; lag++) {
    const correlation = correlate(sent, window.at, heard, window.at + lag, window.lengthSamples);
    if (correlation > best.correlation) best = { lag, correlation };
  }
  return best;
}

/** 1: the same but for the level; 0 also where one of the stretches is silent or does not exist. */
function correlate(a: Int16Array, atA: number, b: Int16Array, atB: number, lengthSamples: number): number {
  if (atB < 0 || atB + lengthSamples > b.length || atA + lengthSamples > a.length) return 0;
  let ab = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < lengthSamples; i++) {
    const x = a[atA + i]!;
    const y = b[atB + i]!;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
}

function snrDb(a: Int16Array, atA: number, b: Int16Array, atB: number, lengthSamples: number): number {
  let signal = 0;
  let noise = 0;
  for (let i = 0; i < lengthSamples; i++) {
    signal += a[atA + i]! ** 2;
    noise += (a[atA + i]! - b[atB + i]!) ** 2;
  }
  return 10 * Math.log10(signal / Math.max(noise, 1));
}

function amplitude(samples: Int16Array, at: number, lengthSamples: number): number {
  let squares = 0;
  for (let i = at; i < at + lengthSamples; i++) squares += (samples[i] ?? 0) ** 2;
  return Math.sqrt(squares / lengthSamples);
}
