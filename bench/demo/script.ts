import { join } from 'node:path';
import { frameSamples } from '../../src/base/frame.ts';
import { tone } from '../../test/support/tone.ts';
import { readMonoWav } from '../../test/support/wav.ts';

/** Rate of both agents. */
export const AGENT_RATE_HZ = 16_000;
export const TONE_HZ = 440;

/** A span of speech, in milliseconds of the conversation. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One agent's part: all its samples from the first moment to the last, silence included. */
export interface Part {
  readonly samples: Int16Array;
  readonly voiced: Span;
  /** Spans that sound like nothing else in it, so that the delay can be measured. */
  readonly distinct: readonly Span[];
  /** The steady tone; null when there is none. */
  readonly steady: Span | null;
  /** While it speaks and the other one does not: its agent must hear nothing, least of all itself. */
  readonly alone: Span;
}

const CONVERSATION_MS = 8_000;
const CLIP_FROM_MS = 400;
const TONE_FROM_MS = 1_600;
const TONE_TO_MS = 7_600;
const SWEEP_MS = 150;
const PAUSE_MS = 100;
const FADE_MS = 5;
const AMPLITUDE = 12_000;

/** The caller's part: the spoken clip that ships with the project. */
export function clipPart(): Part {
  const clip = readMonoWav(join(import.meta.dirname, 'hello.wav'));
  if (clip.sampleRateHz !== AGENT_RATE_HZ) throw new Error('hello.wav is not at the rate of the agents');
  const toMs = CLIP_FROM_MS + (clip.samples.length * 1000) / AGENT_RATE_HZ;
  const voiced = { fromMs: CLIP_FROM_MS, toMs };
  return {
    samples: at(CLIP_FROM_MS, clip.samples),
    voiced,
    distinct: [voiced],
    steady: null,
    alone: { fromMs: CLIP_FROM_MS + 300, toMs: TONE_FROM_MS - 100 },
  };
}

/**
 * The callee's part: a tone, and before and after it a sweep, because a tone alone cannot tell by how many periods it
 * is late.
 */
export function tonePart(clip: Part): Part {
  const opening = { fromMs: TONE_FROM_MS, toMs: TONE_FROM_MS + SWEEP_MS };
  const closing = { fromMs: TONE_TO_MS - SWEEP_MS, toMs: TONE_TO_MS };
  const steady = { fromMs: opening.toMs + PAUSE_MS, toMs: closing.fromMs - PAUSE_MS };
  const samples = at(opening.fromMs, sweep());
  samples.set(sweep(), samplesIn(closing.fromMs));
  const lengthSamples = samplesIn(steady.toMs - steady.fromMs);
  const steadyTone = tone(TONE_HZ, AGENT_RATE_HZ, lengthSamples, { amplitude: AMPLITUDE });
  samples.set(faded(steadyTone), samplesIn(steady.fromMs));
  return {
    samples,
    voiced: { fromMs: opening.fromMs, toMs: closing.toMs },
    distinct: [opening, closing],
    steady,
    alone: { fromMs: clip.voiced.toMs + 300, toMs: TONE_TO_MS },
  };
}

export function samplesIn(ms: number): number {
  return Math.round((ms * AGENT_RATE_HZ) / 1000);
}

function at(fromMs: number, samples: Int16Array): Int16Array {
  const frame = frameSamples(AGENT_RATE_HZ);
  const all = new Int16Array(Math.ceil(samplesIn(CONVERSATION_MS) / frame) * frame);
  all.set(samples, samplesIn(fromMs));
  return all;
}

/** From 400 to 3,000 Hz, inside the telephone band. */
function sweep(): Int16Array {
  const samples = new Int16Array(samplesIn(SWEEP_MS));
  const seconds = SWEEP_MS / 1000;
  for (let i = 0; i < samples.length; i++) {
    const t = i / AGENT_RATE_HZ;
    samples[i] = Math.round(AMPLITUDE * Math.sin(2 * Math.PI * (400 * t + ((2_600 / seconds) * t * t) / 2)));
  }
  return faded(samples);
}

/** Edges without a click. */
function faded(samples: Int16Array): Int16Array {
  const fade = samplesIn(FADE_MS);
  for (let i = 0; i < fade; i++) {
    const gain = i / fade;
    samples[i] = Math.round(samples[i]! * gain);
    samples[samples.length - 1 - i] = Math.round(samples[samples.length - 1 - i]! * gain);
  }
  return samples;
}
