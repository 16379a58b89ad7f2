import { describe, expect, it } from 'vitest';
import { LOCAL_VOICES } from '../../../../src/speech/local/flite-voices.ts';
import type { FvadRateHz } from '../../../../src/speech/vad/fvad.ts';
import { VoiceActivity } from '../../../../src/speech/vad/voice-activity.ts';
import { amplified, framesOf, joined, mixed, silence, speech } from '../../../support/speech-signal.ts';
import { colouredNoise, labelledVoice, type NoiseColour } from '../../../support/voice-noise.ts';

const RATES: readonly FvadRateHz[] = [8_000, 16_000];
const COLOURS: readonly NoiseColour[] = ['white', 'pink'];
const VOICES = LOCAL_VOICES.map(({ id }) => id);
const SENTENCES = [
  'Could you please tell me when the next train leaves?',
  'Wait, that is not what I meant.',
  'No, stop, I need something else.',
  'My name is Peter and I called yesterday.',
];
/** As calls use it. */
const TURNS = { startAfterMs: 100, endAfterMs: 500 };
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

interface Heard {
  readonly frames: readonly boolean[];
  readonly starts: number;
  readonly isSpeaking: boolean;
}

function heard(rateHz: FvadRateHz, signal: Int16Array): Heard {
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

interface Rates {
  /** Share of the frames of speech that are heard. */
  readonly hit: number;
  /** Share of the frames of pauses that are heard. */
  readonly falseAlarm: number;
  readonly starts: number;
}

/** Of all sentences by all voices, with noise behind them. */
function rates(
  rateHz: FvadRateHz,
  noise: (ms: number, dbfs: number, seed: number) => Int16Array,
  snrDb: number,
): Rates {
  const counts = { speech: 0, hits: 0, pauses: 0, alarms: 0, starts: 0 };
  for (const [i, id] of VOICES.entries()) {
    const { samples, labels, activeDbfs } = labelledVoice(SENTENCES, rateHz, id);
    const behind = noise((samples.length * 1_000) / rateHz, activeDbfs - snrDb, i + 1);
    const { frames, starts } = heard(rateHz, mixed(samples, behind));
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

describe.each(RATES)('at %i Hz', (rateHz) => {
  it.each(COLOURS)('speech is told from %s noise that is 10, 5 and 0 dB weaker', (colour) => {
    for (const snrDb of [10, 5, 0]) {
      const noise = (ms: number, dbfs: number, seed: number) =>
        colouredNoise(colour, ms, rateHz, { dbfs, seed });
      const { hit, falseAlarm, starts } = rates(rateHz, noise, snrDb);
      console.log(`${colour} ${snrDb} dB: hit ${hit.toFixed(3)}, false ${falseAlarm.toFixed(3)}`);
      expect(hit, `${snrDb} dB`).toBeGreaterThanOrEqual(0.88);
      expect(falseAlarm, `${snrDb} dB`).toBeLessThanOrEqual(0.1);
      expect(starts, `${snrDb} dB`).toBe(VOICES.length * SENTENCES.length);
    }
  });

  it.each(COLOURS)('%s noise alone is no voice, from the first frame and after silence', (colour) => {
    for (const dbfs of [-25, -30, -45])
      for (const seed of SEEDS) {
        const noise = colouredNoise(colour, 10_000, rateHz, { dbfs, seed });
        expect(heard(rateHz, noise).starts, `${dbfs} dBFS, seed ${seed}`).toBe(0);
        const late = joined(silence(3_000, rateHz), noise);
        expect(heard(rateHz, late).starts, `${dbfs} dBFS after silence, seed ${seed}`).toBe(0);
      }
  });

  it('noise does not keep a turn open that somebody has ended', () => {
    const voice = joined(silence(2_000, rateHz), speech(SENTENCES[0]!, rateHz), silence(3_000, rateHz));
    const noise = colouredNoise('pink', (voice.length * 1_000) / rateHz, rateHz, { dbfs: -30, seed: 1 });
    expect(heard(rateHz, mixed(voice, noise))).toMatchObject({ starts: 1, isSpeaking: false });
  });

  it.each(VOICES)('the first word of %s after digital silence is heard at once', (id) => {
    const word = speech('Yes.', rateHz, id);
    for (const before of [0, 40, 3_000]) {
      const { starts, frames } = heard(rateHz, joined(silence(before, rateHz), word, silence(1_000, rateHz)));
      expect(starts, `after ${before} ms`).toBe(1);
      expect(frames.indexOf(true) * 20 - before).toBeLessThanOrEqual(300);
    }
  });
});

it('other people who talk in the background are speech as well', () => {
  const behind = (ms: number, dbfs: number) => {
    const crowd = VOICES.flatMap((id) => SENTENCES.map((text) => speech(text, 8_000, id)));
    const babble = crowd.reduce(
      (sum, voice, i) => {
        const repeated = joined(
          ...Array.from({ length: Math.ceil((ms * 8) / voice.length) + 1 }, () => voice),
        );
        return mixed(sum, amplified(repeated.subarray(i * 1_000, i * 1_000 + ms * 8), -18));
      },
      silence(ms, 8_000),
    );
    const rms = Math.sqrt(babble.reduce((sum, sample) => sum + sample * sample, 0) / babble.length);
    return amplified(babble, dbfs - 20 * Math.log10(rms / 0x8000));
  };
  const { hit, falseAlarm } = rates(8_000, behind, 5);
  console.log(`16 others at 5 dB: hit ${hit.toFixed(3)}, false ${falseAlarm.toFixed(3)}`);
  expect(hit).toBeGreaterThanOrEqual(0.88);
});
