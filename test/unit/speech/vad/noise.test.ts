import { describe, expect, it } from 'vitest';
import { LOCAL_VOICES } from '../../../../src/speech/local/flite-voices.ts';
import type { FvadRateHz } from '../../../../src/speech/vad/fvad.ts';
import {
  type DetectionRates,
  detected,
  detectionRates,
  type Noise,
} from '../../../support/speech/detection-rates.ts';
import { joined, mixed, silence, speech } from '../../../support/speech-signal.ts';
import { babble, colouredNoise, type NoiseColour } from '../../../support/voice-noise.ts';

const RATES: readonly FvadRateHz[] = [8_000, 16_000];
const COLOURS: readonly NoiseColour[] = ['white', 'pink'];
const VOICES = LOCAL_VOICES.map(({ id }) => id);
const SENTENCES = [
  'Could you please tell me when the next train leaves?',
  'Wait, that is not what I meant.',
  'No, stop, I need something else.',
  'My name is Peter and I called yesterday.',
];
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

/** Of all sentences by all voices. */
function rates(rateHz: FvadRateHz, noise: Noise, snrDb: number): DetectionRates {
  const voices = VOICES.map((id) => SENTENCES.map((text) => speech(text, rateHz, id)));
  return detectionRates(voices, rateHz, noise, snrDb);
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
        expect(detected(noise, rateHz).starts, `${dbfs} dBFS, seed ${seed}`).toBe(0);
        const late = joined(silence(3_000, rateHz), noise);
        expect(detected(late, rateHz).starts, `${dbfs} dBFS after silence, seed ${seed}`).toBe(0);
      }
  });

  it('noise does not keep a turn open that somebody has ended', () => {
    const voice = joined(silence(2_000, rateHz), speech(SENTENCES[0]!, rateHz), silence(3_000, rateHz));
    const noise = colouredNoise('pink', (voice.length * 1_000) / rateHz, rateHz, { dbfs: -30, seed: 1 });
    expect(detected(mixed(voice, noise), rateHz)).toMatchObject({ starts: 1, isSpeaking: false });
  });

  it.each(VOICES)('the first word of %s after digital silence is heard at once', (id) => {
    const word = speech('Yes.', rateHz, id);
    for (const before of [0, 40, 3_000]) {
      const { starts, frames } = detected(
        joined(silence(before, rateHz), word, silence(1_000, rateHz)),
        rateHz,
      );
      expect(starts, `after ${before} ms`).toBe(1);
      expect(frames.indexOf(true) * 20 - before).toBeLessThanOrEqual(300);
    }
  });
});

it('other people who talk in the background are speech as well', () => {
  const crowd = VOICES.flatMap((id) => SENTENCES.map((text) => speech(text, 8_000, id)));
  const { hit, falseAlarm } = rates(8_000, (ms, dbfs) => babble(crowd, ms * 8, dbfs), 5);
  console.log(`16 others at 5 dB: hit ${hit.toFixed(3)}, false ${falseAlarm.toFixed(3)}`);
  expect(hit).toBeGreaterThanOrEqual(0.88);
});
