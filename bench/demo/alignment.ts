import { FRAME_MS } from '../../src/base/frame.ts';
import { type Span, samplesIn } from './script.ts';

const WINDOW_MS = 150;
const MAX_DELAY_MS = 1_000;
/** A window is first searched within this distance of the previous one's lag, then everywhere. */
const WANDER_MS = 20;
/** Below this correlation a window does not count as found. */
const MIN_CORRELATION = 0.8;
/** Windows below this RMS amplitude are pauses and are skipped. */
const MIN_AMPLITUDE = 150;

/** A window of the sent recording, and its place in the heard one. */
export interface AlignedWindow {
  readonly at: number;
  readonly lengthSamples: number;
  /** Samples from its place in the sent to its place in the heard recording; null if it was not found. */
  readonly lag: number | null;
  /** Ratio of the window to its difference from the heard one; -Infinity if it was not found. */
  readonly snrDb: number;
}

/**
 * Finds the sounds of `spans` in the heard recording, in windows of 150 ms, by normalized cross-correlation. `offset` is
 * the sample of `heard` that was recorded when sample 0 was sent. The search starts there.
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
      const said = sent.subarray(at, at + lengthSamples);
      let best = bestLag(said, heard, at, near);
      // The audio may have paused and continued with a larger delay.
      if (best.correlation < MIN_CORRELATION) best = bestLag(said, heard, at, anyLag);
      if (best.correlation < MIN_CORRELATION) return { at, lengthSamples, lag: null, snrDb: -Infinity };
      near = { first: best.lag - wander, last: best.lag + wander };
      return { at, lengthSamples, lag: best.lag, snrDb: snrDb(said, heard, at + best.lag) };
    });
}

function windowStarts(spans: readonly Span[]): number[] {
  return spans.flatMap(({ fromMs, toMs }) => {
    const count = Math.floor((toMs - fromMs) / WINDOW_MS);
    return Array.from({ length: count }, (_, index) => samplesIn(fromMs + index * WINDOW_MS));
  });
}

/** Finds a window, which starts at `at` in the sent recording, in the heard one. */
function bestLag(
  said: Int16Array,
  heard: Int16Array,
  at: number,
  lags: { readonly first: number; readonly last: number },
): { lag: number; correlation: number } {
  let best = { lag: lags.first, correlation: 0 };
  for (let lag = lags.first; lag <= lags.last; lag++) {
    const correlation = correlate(said, heard, at + lag);
    if (correlation > best.correlation) best = { lag, correlation };
  }
  return best;
}

/** 1: equal except for the level. 0 also if one of them is silent or the heard recording does not reach so far. */
function correlate(said: Int16Array, heard: Int16Array, from: number): number {
  if (from < 0 || from + said.length > heard.length) return 0;
  let ab = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < said.length; i++) {
    const x = said[i]!;
    const y = heard[from + i]!;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
}

function snrDb(said: Int16Array, heard: Int16Array, from: number): number {
  let signal = 0;
  let noise = 0;
  for (let i = 0; i < said.length; i++) {
    signal += said[i]! ** 2;
    noise += (said[i]! - heard[from + i]!) ** 2;
  }
  return 10 * Math.log10(signal / Math.max(noise, 1));
}

function amplitude(samples: Int16Array, at: number, lengthSamples: number): number {
  let squares = 0;
  for (let i = at; i < at + lengthSamples; i++) squares += (samples[i] ?? 0) ** 2;
  return Math.sqrt(squares / lengthSamples);
}
