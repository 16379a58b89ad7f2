import { resampled } from '../speech-signal.ts';
import { clicks } from './clicks.ts';
import { delayTrack, heardPairs, saidPairs, type TrackPoint } from './delay-track.ts';
import type { Interruption } from './network.ts';
import { STOI_RATE_HZ, stoi } from './stoi.ts';

/** What was said and what was heard, as 16-bit samples from the start of the stream. */
export interface Hearing {
  /** As it is heard on a path without trouble, decoded, so that the codec does not count. */
  readonly said: Int16Array;
  readonly heard: Int16Array;
  readonly rateHz: number;
  /** Duration of the sender's second by the listener's clock. */
  readonly pace: number;
  readonly interruptions: readonly Interruption[];
}

export interface QualityScore {
  /** Of what was said where it was heard, or of what was heard where it was said: the lower one. */
  readonly stoi: number;
  /** Edges that the original lacks. */
  readonly clicks: number;
  /** From a sample's recording to its playing, without the transit of the fastest packet. */
  readonly meanDelayMs: number;
  readonly maxDelayMs: number;
  /**
   * From the end of an interruption until the delay stays within 20 ms of what it was before: the slowest return. When
   * it never does, the time to the next interruption or to the end. Null without interruptions.
   */
  readonly returnMs: number | null;
}

const CLOSE_MS = 20;
/** The delay before an interruption is the median over so long. */
const BEFORE_MS = 1_500;
/** The first second, in which playing starts, does not count for the delay. */
const STARTS_MS = 1_000;

export function qualityScore(hearing: Hearing): QualityScore {
  const { rateHz, pace } = hearing;
  const said = asStoiSignal(hearing.said, rateHz);
  const heard = asStoiSignal(hearing.heard, rateHz);
  const track = delayTrack(said, heard, pace);
  const known = playedPoints(track);
  const delays = known.filter(({ saidMs }) => saidMs >= STARTS_MS).map(({ delayMs }) => delayMs);
  return {
    stoi: Math.min(stoi(said, heard, saidPairs(track)), stoi(said, heard, heardPairs(track, heard.length))),
    clicks: clicks(hearing.said, hearing.heard, rateHz, track).length,
    meanDelayMs: delays.reduce((sum, delay) => sum + delay, 0) / delays.length,
    maxDelayMs: delays.reduce((most, delay) => Math.max(most, delay), 0),
    returnMs: slowestReturn(known, hearing.interruptions),
  };
}

function asStoiSignal(signal: Int16Array, rateHz: number): Float64Array {
  return Float64Array.from(resampled(signal, rateHz, STOI_RATE_HZ));
}

/** Points whose delay is known. One that would be heard after a later one was left out. */
function playedPoints(track: readonly TrackPoint[]): TrackPoint[] {
  let earliestMs = Number.POSITIVE_INFINITY;
  const isPlayed = (point: TrackPoint) => {
    if (!point.matched || playedMs(point) > earliestMs) return false;
    earliestMs = playedMs(point);
    return true;
  };
  return track.toReversed().filter(isPlayed).reverse();
}

function playedMs({ recordedMs, delayMs }: TrackPoint): number {
  return recordedMs + delayMs;
}

function slowestReturn(known: readonly TrackPoint[], interruptions: readonly Interruption[]): number | null {
  if (interruptions.length === 0) return null;
  return Math.max(
    ...interruptions.map((interruption, i) =>
      returnAfter(known, interruption, interruptions[i + 1]?.fromMs ?? Number.POSITIVE_INFINITY),
    ),
  );
}

function returnAfter(known: readonly TrackPoint[], { fromMs, toMs }: Interruption, untilMs: number): number {
  const before = known.filter((point) => playedMs(point) > fromMs - BEFORE_MS && playedMs(point) <= fromMs);
  const usualMs = median(before.map(({ delayMs }) => delayMs));
  const after = known.filter((point) => playedMs(point) > toMs && playedMs(point) <= untilMs);
  const last = after.findLast(({ delayMs }) => delayMs > usualMs + CLOSE_MS);
  return last === undefined ? 0 : playedMs(last) - toMs;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
