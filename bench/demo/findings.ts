import { Resampler } from '../../src/audio/resampler.ts';
import { frameSamples } from '../../src/base/frame.ts';
import { peakDbfs, rmsDbfs } from '../../test/support/levels.ts';
import { analyzeTone } from '../../test/support/tone-analysis.ts';
import { type AlignedWindow, align } from './alignment.ts';
import { AGENT_RATE_HZ, type Part, type Span, samplesIn, TONE_HZ } from './script.ts';
import type { Track } from './track.ts';

const TELEPHONE_RATE_HZ = 8_000;

export interface Level {
  readonly rmsDbfs: number;
  readonly peakDbfs: number;
}

export interface Delay {
  /** Median, least and most of all windows; NaN when nothing that was sent was heard. */
  readonly ms: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** Of the first window; it can change when audio pauses. */
  readonly atOnsetMs: number;
}

/** Measurements of one agent's voice on its way to the other. */
export interface Findings {
  readonly sentLevel: Level;
  readonly heardLevel: Level;
  readonly delay: Delay;
  readonly framesHeard: number;
  readonly framesExpected: number;
  /** Share of the windows with sound that were found where they belong, 0 to 1. */
  readonly found: number;
  /** SNR of what arrived, compared with the telephone band of what was sent; median of the windows. */
  readonly snrDb: number;
  /** What the listener heard while only itself was speaking. */
  readonly echoDbfs: number;
}

/** One direction: a part, its tracks at sender and listener, and the time when only the listener spoke. */
export interface Direction {
  readonly part: Part;
  readonly sent: Track;
  readonly heard: Track;
  /** As the WAV file has it. */
  readonly heardSamples: Int16Array;
  readonly listenerAlone: Span;
}

export function examine(direction: Direction): Findings {
  const { part, sent, heard, heardSamples, listenerAlone } = direction;
  // The recordings need not begin at the same time.
  const offset = samplesIn(sent.firstAtMs - heard.firstAtMs);
  const windows = align(part.samples, heardSamples, part.distinct, offset);
  const delay = delayOf(windows, sent, heard);
  const audible = align(telephoneBand(part.samples), heardSamples, part.distinct, offset);
  const arrived = (span: Span) => cut(heardSamples, span, offset + samplesIn(delay.ms));
  return {
    sentLevel: levelOf(cut(part.samples, part.voiced, 0)),
    heardLevel: levelOf(arrived(part.voiced)),
    delay,
    framesHeard: heard.pieceCount,
    framesExpected: heard.expectedPieceCount,
    found: audible.filter(({ lag }) => lag !== null).length / audible.length,
    snrDb: part.steady === null ? medianSnrDb(audible) : toneSnrDb(arrived(part.steady)),
    echoDbfs: rmsDbfs(arrived(listenerAlone)),
  };
}

/** Computes the delay from the times at which frames with the same sound were sent and received. */
function delayOf(windows: readonly AlignedWindow[], sent: Track, heard: Track): Delay {
  const delays = windows.flatMap(({ at, lag }) => (lag === null ? [] : [timeBetween(sent, heard, at, lag)]));
  const sorted = delays.toSorted((a, b) => a - b);
  return {
    ms: middle(sorted),
    minMs: sorted[0] ?? Number.NaN,
    maxMs: sorted.at(-1) ?? Number.NaN,
    atOnsetMs: delays[0] ?? Number.NaN,
  };
}

/** Mean over a frame, because the frames of the two sides need not begin at the same sample. */
function timeBetween(sent: Track, heard: Track, at: number, lag: number): number {
  const lengthSamples = frameSamples(AGENT_RATE_HZ);
  let sumMs = 0;
  for (let i = 0; i < lengthSamples; i++) sumMs += heard.timeOf(at + lag + i) - sent.timeOf(at + i);
  return sumMs / lengthSamples;
}

function medianSnrDb(windows: readonly AlignedWindow[]): number {
  return middle(windows.map(({ snrDb }) => snrDb).sort((a, b) => a - b));
}

/** Limits audio to the band of an 8 kHz call: losses above 4 kHz are not the gateway's. */
export function telephoneBand(samples: Int16Array): Int16Array {
  const narrow = resampled(samples, AGENT_RATE_HZ, TELEPHONE_RATE_HZ);
  return resampled(narrow, TELEPHONE_RATE_HZ, AGENT_RATE_HZ);
}

function resampled(samples: Int16Array, fromHz: number, toHz: number): Int16Array {
  const pieceSamples = frameSamples(fromHz);
  const resampler = new Resampler(fromHz, toHz, pieceSamples);
  const output: number[] = [];
  for (let from = 0; from < samples.length; from += pieceSamples) {
    const input = samples.subarray(from, from + pieceSamples);
    output.push(...resampler.process(input, input.length));
  }
  return Int16Array.from(output);
}

function toneSnrDb(samples: Int16Array): number {
  return analyzeTone(samples, AGENT_RATE_HZ, TONE_HZ).snrDb;
}

function levelOf(samples: Int16Array): Level {
  return { rmsDbfs: rmsDbfs(samples), peakDbfs: peakDbfs(samples) };
}

function cut(samples: Int16Array, { fromMs, toMs }: Span, shiftSamples: number): Int16Array {
  return samples.subarray(
    Math.max(0, samplesIn(fromMs) + shiftSamples),
    Math.max(0, samplesIn(toMs) + shiftSamples),
  );
}

function middle(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
