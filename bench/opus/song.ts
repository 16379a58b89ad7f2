import { asSamples, voice } from './voice.ts';

const SAMPLE_RATE_HZ = 48_000;
/** 20 ms of it begin a quarter of a turn later each time; `generator/probe.c` listens to it. */
const TONE_HZ = 1_012.5;
const TONE_AMPLITUDE = 2_000;
/** The voice leaves room for the tone: two notches as wide as the ear of the listener. */
const NOTCH_WIDTH_HZ = 350;
const NOTCHES = 2;
/** Whole fours of frames, so that the tone goes on when the song begins again. */
const FRAMES = 200;

/** What Opus phones and their agents say: something like speech, for its cost, and a tone in it, for the check. */
export function song(): Int16Array {
  let speech = voice(FRAMES * 960, SAMPLE_RATE_HZ);
  for (let i = 0; i < NOTCHES; i++) speech = withoutTone(speech);
  const turn = (2 * Math.PI * TONE_HZ) / SAMPLE_RATE_HZ;
  return asSamples(speech.map((sample, i) => sample + TONE_AMPLITUDE * Math.sin(turn * i)));
}

/** Two zeros on the unit circle, two poles beside them. */
function withoutTone(input: Float64Array): Float64Array {
  const cosine = Math.cos((2 * Math.PI * TONE_HZ) / SAMPLE_RATE_HZ);
  const radius = 1 - (Math.PI * NOTCH_WIDTH_HZ) / SAMPLE_RATE_HZ;
  const output = new Float64Array(input.length);
  for (let i = 2; i < input.length; i++) {
    const zeros = input[i]! - 2 * cosine * input[i - 1]! + input[i - 2]!;
    output[i] = zeros + 2 * radius * cosine * output[i - 1]! - radius ** 2 * output[i - 2]!;
  }
  return output;
}
