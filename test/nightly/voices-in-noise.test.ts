import { describe, expect, it } from 'vitest';
import { framePower } from '../../src/audio/frame-power.ts';
import { LOCAL_VOICES } from '../../src/speech/local/flite-voices.ts';
import type { FvadRateHz } from '../../src/speech/vad/fvad.ts';
import { noNeuralVoice } from '../../src/speech/vad/neural-voice.ts';
import { requirePeerOfRoot } from '../support/require-peer.ts';
import { detected, detectionRates, type Noise } from '../support/speech/detection-rates.ts';
import { espeak } from '../support/speech/espeak.ts';
import { keyClicks, tones } from '../support/speech/noises.ts';
import { OverheardCall } from '../support/speech/overheard-call.ts';
import { holdMusic, RECORDED_RATE_HZ, recordedSentences } from '../support/speech/recorded-voices.ts';
import { amplified, framesOf, joined, silence, speech } from '../support/speech-signal.ts';
import { babble, colouredNoise, type NoiseColour } from '../support/voice-noise.ts';

/** No constant of the detector was chosen with these sentences, nor with a voice of espeak-ng. */
const ENGLISH = [
  'I would like to change the address of my delivery.',
  'Yes.',
  'The invoice from last month is still not paid, is it?',
  'Seven, nine, four, double two.',
  'Thank you, that would be all for today.',
  'Can you put me through to somebody in sales?',
];
const GERMAN = [
  'Ich möchte gerne einen Termin für nächste Woche vereinbaren.',
  'Nein.',
  'Das Paket ist leider noch nicht angekommen.',
  'Meine Kundennummer ist vier sieben eins drei.',
  'Könnten Sie das bitte noch einmal wiederholen?',
  'Schönen Tag noch, auf Wiederhören.',
];
const ESPEAK_VOICES = [
  { voice: 'en-us', texts: ENGLISH },
  { voice: 'en-gb+f3', texts: ENGLISH },
  { voice: 'de', texts: GERMAN },
  { voice: 'de+f2', texts: GERMAN },
] as const;

const RATES: readonly FvadRateHz[] = [8_000, 16_000];
const COLOURS: readonly NoiseColour[] = ['white', 'pink'];
const SNRS_DB = [10, 5, 0] as const;
const TEN_MINUTES_MS = 600_000;
/** Those of flite have spoken other sentences when constants were chosen. */
const SPEAKERS = {
  flite: (rateHz: number) => LOCAL_VOICES.map(({ id }) => ENGLISH.map((text) => speech(text, rateHz, id))),
  'espeak-ng': (rateHz: number) =>
    ESPEAK_VOICES.map(({ voice, texts }) => texts.map((text) => espeak(text, rateHz, voice))),
};
const SYNTHESIZERS = ['flite', 'espeak-ng'] as const;

function noiseOf(colour: NoiseColour | 'babble', rateHz: number): Noise {
  if (colour !== 'babble') return (ms, dbfs, seed) => colouredNoise(colour, ms, rateHz, { dbfs, seed });
  const crowd = SYNTHESIZERS.flatMap((name) => SPEAKERS[name](rateHz).flat());
  return (ms, dbfs) => babble(crowd, (ms * rateHz) / 1_000, dbfs);
}

describe.skipIf(requirePeerOfRoot('espeak-ng'))('voices with which no constant was chosen', () => {
  const cases = SYNTHESIZERS.flatMap((name) => RATES.map((rateHz) => [name, rateHz] as const));

  describe.each(cases)('%s at %i Hz', (name, rateHz) => {
    it.each(COLOURS)('are told from %s noise', (colour) => {
      const voices = SPEAKERS[name](rateHz);
      const rates = SNRS_DB.map((snrDb) => detectionRates(voices, rateHz, noiseOf(colour, rateHz), snrDb));
      for (const [i, { hit, falseAlarm }] of rates.entries())
        console.log(
          `${name}, ${rateHz} Hz, ${colour}, ${SNRS_DB[i]} dB: hit ${hit.toFixed(3)}, false ${falseAlarm.toFixed(3)}`,
        );
      for (const { hit, falseAlarm } of rates) {
        expect(hit).toBeGreaterThanOrEqual(0.88);
        expect(falseAlarm).toBeLessThanOrEqual(0.1);
      }
    });

    it('are heard over a crowd, which is speech as well', () => {
      const voices = SPEAKERS[name](rateHz);
      for (const snrDb of SNRS_DB) {
        const { hit, falseAlarm } = detectionRates(voices, rateHz, noiseOf('babble', rateHz), snrDb);
        console.log(
          `${name}, ${rateHz} Hz, babble, ${snrDb} dB: hit ${hit.toFixed(3)}, false ${falseAlarm.toFixed(3)}`,
        );
        // Among as many as are as loud, nobody stands out.
        if (snrDb > 0) expect(hit).toBeGreaterThanOrEqual(0.88);
      }
    });
  });
});

describe.each(RATES)('ten minutes of noise alone at %i Hz and −25 dBFS', (rateHz) => {
  it.each(COLOURS)('in %s, stop and pause no utterance, and open no turn', (colour) => {
    const noise = colouredNoise(colour, TEN_MINUTES_MS, rateHz, { dbfs: -25, seed: 7 });
    for (const pauses of [false, true]) {
      const call = new OverheardCall({ sampleRateHz: rateHz, pauses });
      for (const frame of framesOf(noise, rateHz)) call.hear(frame);
      expect(call.events).toEqual([]);
      expect(call.heardMs).toBe(TEN_MINUTES_MS);
    }
  });
});

/** With a power that makes it as loud as asked. */
function atLevel(signal: Int16Array, dbfs: number): Int16Array {
  return amplified(signal, dbfs - 10 * Math.log10(framePower(signal)));
}

describe.skipIf(requirePeerOfRoot('recorded voices', 'hold music'))('people who were recorded', () => {
  const readers = ['en_US_f_Allison', 'fr_CA_f_June'] as const;
  const music = holdMusic();

  it.each(readers)('%s is told from noise', (reader) => {
    const voices = [recordedSentences(reader, 15)];
    for (const colour of COLOURS)
      for (const snrDb of SNRS_DB) {
        const rates = detectionRates(voices, RECORDED_RATE_HZ, noiseOf(colour, RECORDED_RATE_HZ), snrDb);
        const { hit, falseAlarm } = rates;
        console.log(
          `${reader}, ${colour}, ${snrDb} dB: hit ${hit.toFixed(3)}, false ${falseAlarm.toFixed(3)}`,
        );
        expect(hit).toBeGreaterThanOrEqual(0.88);
        expect(falseAlarm).toBeLessThanOrEqual(0.1);
      }
  });

  it.skipIf(noNeuralVoice() !== null).each(readers)('%s is told from music 10 dB weaker', (reader) => {
    const pieces = joined(...music.map((piece) => piece.subarray(0, 20 * RECORDED_RATE_HZ)));
    const behind: Noise = (ms, dbfs) =>
      atLevel(joined(pieces, pieces).subarray(0, (ms * RECORDED_RATE_HZ) / 1_000), dbfs);
    const { hit, falseAlarm } = detectionRates([recordedSentences(reader, 15)], RECORDED_RATE_HZ, behind, 10);
    console.log(`${reader}, music, 10 dB: hit ${hit.toFixed(3)}, false ${falseAlarm.toFixed(3)}`);
    expect(hit).toBeGreaterThanOrEqual(0.88);
    expect(falseAlarm).toBeLessThanOrEqual(0.25);
  });
});

describe.skipIf(requirePeerOfRoot('hold music') || noNeuralVoice() !== null)('what is no voice', () => {
  const sounds = [
    ...holdMusic().map((piece, i) => ({
      name: `piece ${i + 1} on hold`,
      minute: atLevel(piece, -25),
      starts: 2,
    })),
    { name: 'typing', minute: keyClicks(), starts: 0 },
    { name: 'dial tones, keys and a siren', minute: tones(), starts: 0 },
  ];

  it.each(sounds)('$name: at most $starts turns in a minute', ({ name, minute, starts }) => {
    const found = detected(minute, RECORDED_RATE_HZ);
    console.log(
      `${name}: ${found.starts} turns, ${found.frames.filter(Boolean).length} frames of ${found.frames.length}`,
    );
    expect(found.starts).toBeLessThanOrEqual(starts);
  });

  it('after four minutes of music, each answer of one word is heard', () => {
    const music = joined(...holdMusic());
    const answers = LOCAL_VOICES.flatMap(({ id }) =>
      ['Yes.', 'No.', 'Six.', 'Stop.', 'Two.'].map((word) => speech(word, RECORDED_RATE_HZ, id)),
    );
    const line = silence(2_500, RECORDED_RATE_HZ);
    const before = detected(music, RECORDED_RATE_HZ).starts;
    const call = joined(music, line, ...answers.flatMap((answer) => [answer, line]));
    expect(detected(call, RECORDED_RATE_HZ).starts - before).toBe(answers.length);
  });
});
