import { framePower } from '../../src/audio/frame-power.ts';
import { SeededRandom } from './seeded-random.ts';
import { amplified, framesOf, joined, mixed, silence } from './speech-signal.ts';

const FULL_SCALE = 0x8000;
const LEAD_IN_MS = 2_000;
const PAUSE_MS = 1_200;
/** Frames of speech are at most so much weaker than the mean of all of them. */
const WEAKEST_SHARE = 10 ** (-20 / 10);
/** Frames so near to speech count as neither: 160 ms. */
const NEAR_FRAMES = 8;
/** So that many voices together are not too loud for 16 bits. */
const CROWD_DB = -18;

export type NoiseColour = 'white' | 'pink';

/** Sentences with pauses between them, and which of their frames are speech (true), pauses (false), or between both. */
export interface LabelledVoice {
  readonly samples: Int16Array;
  readonly labels: readonly (boolean | null)[];
  /** Root mean square of the frames that are not silent, in dB relative to full scale. */
  readonly activeDbfs: number;
}

/** Gaussian noise with a root mean square in dB relative to full scale. */
export function colouredNoise(
  colour: NoiseColour,
  ms: number,
  rateHz: number,
  { dbfs, seed }: { readonly dbfs: number; readonly seed: number },
): Int16Array {
  const random = new SeededRandom(seed);
  const next = colour === 'white' ? () => gaussian(random) : pinkFrom(() => gaussian(random));
  const samples = Float64Array.from({ length: (ms * rateHz) / 1000 }, next);
  const rms = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
  const gain = (FULL_SCALE * 10 ** (dbfs / 20)) / rms;
  return Int16Array.from(samples, (sample) =>
    Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(sample * gain))),
  );
}

/** A crowd that talks without end, each from another place on, with a root mean square in dB relative to full scale. */
export function babble(crowd: readonly Int16Array[], samples: number, dbfs: number): Int16Array {
  const sum = crowd.reduce((others, voice, i) => {
    const times = Math.ceil(samples / voice.length) + 2;
    const endless = joined(...Array.from({ length: times }, () => voice));
    const from = Math.round((i * voice.length) / crowd.length);
    return mixed(others, amplified(endless.subarray(from, from + samples), CROWD_DB));
  }, new Int16Array(samples));
  return amplified(sum, dbfs - 10 * Math.log10(framePower(sum)));
}

export function labelledVoice(sentences: readonly Int16Array[], rateHz: number): LabelledVoice {
  const pause = silence(PAUSE_MS, rateHz);
  const samples = joined(silence(LEAD_IN_MS, rateHz), ...sentences.flatMap((sentence) => [sentence, pause]));
  const powers = framesOf(samples, rateHz).map(framePower);
  const audible = powers.filter((power) => power > 1e-6);
  const active = audible.reduce((sum, power) => sum + power, 0) / audible.length;
  const isSpeech = powers.map((power) => power > active * WEAKEST_SHARE);
  const labels = isSpeech.map((spoken, i) => {
    if (spoken) return true;
    return isSpeech.slice(Math.max(0, i - NEAR_FRAMES), i + NEAR_FRAMES + 1).includes(true) ? null : false;
  });
  return { samples, labels, activeDbfs: 10 * Math.log10(active) };
}

function gaussian(random: SeededRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

/** P. Kellet's filter: −3 dB per octave within 0.05 dB. */
function pinkFrom(white: () => number): () => number {
  const poles = [0.99886, 0.99332, 0.969, 0.8665, 0.55, -0.7616];
  const gains = [0.0555179, 0.0750759, 0.153852, 0.3104856, 0.5329522, -0.016898];
  const states = poles.map(() => 0);
  let late = 0;
  return () => {
    const input = white();
    let sum = late + input * 0.5362;
    for (const [i, pole] of poles.entries()) {
      states[i] = pole * states[i]! + gains[i]! * input;
      sum += states[i]!;
    }
    late = input * 0.115926;
    return sum;
  };
}
