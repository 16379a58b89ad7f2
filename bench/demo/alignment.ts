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
      let best = bestLag(sent, heard, { at, lengthSamples }, near);
      // The audio may have paused and continued with a larger delay.
      if (best.correlation < MIN_CORRELATION) best = bestLag(sent, heard, { at, lengthSamples }, anyLag);
      if (best.correlation < MIN_CORRELATION) return { at, lengthSamples, lag: null, snrDb: -Infinity };
      near = { first: best.lag - wander, last: best.lag + wander };
      const [said, came] = stretches(sent, heard, { at, lengthSamples }, best.lag);
      return { at, lengthSamples, lag: best.lag, snrDb: snrDb(said, came) };
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
  window: Window,
  lags: { readonly first: number; readonly last: number },
): { lag: number; correlation: number } {
  let best = { lag: lags.first, correlation: 0 };
  for (let lag = lags.first; lag <= lags.last; lag++) {
    const correlation = correlate(...stretches(sent, heard, window, lag));
    if (correlation > best.correlation) best = { lag, correlation };
  }
  return best;
}

interface Window {
  readonly at: number;
  readonly lengthSamples: number;
}

/** Returns the window of `sent`, and the one `lag` samples later of `heard`. Either is shorter if the recording ends. */
function stretches(
  sent: Int16Array,
  heard: Int16Array,
  { at, lengthSamples }: Window,
  lag: number,
): [Int16Array, Int16Array] {
  const from = Math.max(0, at + lag);
  return [sent.subarray(at, at + lengthSamples), heard.subarray(from, Math.max(0, at + lag + lengthSamples))];
}

/** 1: equal except for the level. 0 also if one of them is silent or the lengths differ. */
function correlate(a: Int16Array, b: Int16Array): number {
  if (a.length !== b.length) return 0;
  let ab = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!;
    const y = b[i]!;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
}

function snrDb(a: Int16Array, b: Int16Array): number {
  let signal = 0;
  let noise = 0;
  for (let i = 0; i < a.length; i++) {
    signal += a[i]! ** 2;
    noise += (a[i]! - b[i]!) ** 2;
  }
  return 10 * Math.log10(signal / Math.max(noise, 1));
}

function amplitude(samples: Int16Array, at: number, lengthSamples: number): number {
  let squares = 0;
  for (let i = at; i < at + lengthSamples; i++) squares += (samples[i] ?? 0) ** 2;
  return Math.sqrt(squares / lengthSamples);
}
