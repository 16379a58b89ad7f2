import type { FvadRateHz } from '../../../src/speech/vad/fvad.ts';
import { VoiceActivity } from '../../../src/speech/vad/voice-activity.ts';
import { framesOf, mixed } from '../speech-signal.ts';
import { labelledVoice } from '../voice-noise.ts';

/** As calls use it. */
const TURNS = { startAfterMs: 100, endAfterMs: 500 };

/** What voice activity detection makes of a signal. */
export interface Detected {
  /** Whether each frame of 20 ms is heard. */
  readonly frames: readonly boolean[];
  /** How often somebody has started to speak. */
  readonly starts: number;
  readonly isSpeaking: boolean;
}

export function detected(signal: Int16Array, rateHz: FvadRateHz): Detected {
  const activity = new VoiceActivity({ rateHz, ...TURNS });
  let starts = 0;
  const frames = framesOf(signal, rateHz).map((frame) => {
    if (activity.hear(frame) === 'started') starts += 1;
    return activity.isHeard;
  });
  const { isSpeaking } = activity;
  activity.close();
  return { frames, starts, isSpeaking };
}

/** Noise of a length, with a root mean square in dB relative to full scale. */
export type Noise = (ms: number, dbfs: number, seed: number) => Int16Array;

export interface DetectionRates {
  /** Share of the frames of speech that are heard. */
  readonly hit: number;
  /** Share of the frames of pauses that are heard. */
  readonly falseAlarm: number;
  readonly starts: number;
}

/** Of the sentences of several voices, with noise behind them. */
export function detectionRates(
  voices: readonly (readonly Int16Array[])[],
  rateHz: FvadRateHz,
  noise: Noise,
  snrDb: number,
): DetectionRates {
  const counts = { speech: 0, hits: 0, pauses: 0, alarms: 0, starts: 0 };
  for (const [i, sentences] of voices.entries()) {
    const { samples, labels, activeDbfs } = labelledVoice(sentences, rateHz);
    const behind = noise((samples.length * 1_000) / rateHz, activeDbfs - snrDb, i + 1);
    const { frames, starts } = detected(mixed(samples, behind), rateHz);
    counts.starts += starts;
    for (const [at, isHeard] of frames.entries()) {
      if (labels[at] === true) {
        counts.speech += 1;
        if (isHeard) counts.hits += 1;
      } else if (labels[at] === false) {
        counts.pauses += 1;
        if (isHeard) counts.alarms += 1;
      }
    }
  }
  return {
    hit: counts.hits / counts.speech,
    falseAlarm: counts.alarms / counts.pauses,
    starts: counts.starts,
  };
}
