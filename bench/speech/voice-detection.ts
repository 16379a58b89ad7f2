import { FRAME_MS, frameSamples } from '../../src/base/frame.ts';
import { noNeuralVoice } from '../../src/speech/vad/neural-voice.ts';
import { VoiceActivity } from '../../src/speech/vad/voice-activity.ts';
import { mixed, speech } from '../../test/support/speech-signal.ts';
import { colouredNoise } from '../../test/support/voice-noise.ts';
import type { BenchContext, Measure } from '../bench.ts';

const RATE_HZ = 8_000;
const VOICES = [1, 8, 32] as const;
/** Simulated time of each voice in a round, in ms. */
const LENGTH_MS = 60_000;
const QUICK_MS = 5_000;
const TURNS = { startAfterMs: 100, endAfterMs: 500 };
const SENTENCE = 'Could you please tell me when the next train leaves, and from where?';
const NOISE = { dbfs: -35, seed: 1 } as const;
/** Of 20 ms, on one core, with 32 voices. */
const MAX_US = 60;

/** What it takes to tell whether somebody speaks: all of them speak in noise without pause. */
export async function voiceDetection({ rounds, quick }: BenchContext): Promise<Measure[]> {
  const frames = spokenFrames();
  const lengthMs = quick ? QUICK_MS : LENGTH_MS;
  const network = noNeuralVoice();
  costOfFrame(1, frames, QUICK_MS);
  return VOICES.map((voices) => ({
    name: `voice detection, ${voices} voices at once: 20 ms of one`,
    unit: 'µs',
    ours: Array.from({ length: rounds }, () => costOfFrame(voices, frames, lengthMs)),
    ...(voices === 32 && { target: { atMost: MAX_US } }),
    note: network === null ? 'both stages' : `first stage only: ${network}`,
  }));
}

/** Frames of 20 ms at 8 kHz of somebody who speaks in noise. */
export function spokenFrames(): Int16Array[] {
  const said = speech(SENTENCE, RATE_HZ);
  const noisy = mixed(said, colouredNoise('pink', (said.length * 1_000) / RATE_HZ, RATE_HZ, NOISE));
  const length = frameSamples(RATE_HZ);
  return Array.from({ length: Math.floor(noisy.length / length) }, (_, i) =>
    noisy.subarray(i * length, (i + 1) * length),
  );
}

/** In µs of one frame of one voice. */
function costOfFrame(voices: number, frames: readonly Int16Array[], lengthMs: number): number {
  const detectors = Array.from({ length: voices }, () => new VoiceActivity({ rateHz: RATE_HZ, ...TURNS }));
  const count = lengthMs / FRAME_MS;
  const begunMs = performance.now();
  for (let i = 0; i < count; i++)
    for (const [voice, detector] of detectors.entries())
      detector.hear(frames[(i + 7 * voice) % frames.length] as Int16Array);
  const tookMs = performance.now() - begunMs;
  for (const detector of detectors) detector.close();
  return (1_000 * tookMs) / (count * voices);
}
