import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LOCAL_VOICES } from '../../../../src/speech/local/flite-voices.ts';
import { type Utterance, UtteranceSegmenter } from '../../../../src/speech/segments/utterance-segmenter.ts';
import type { FvadRateHz } from '../../../../src/speech/vad/fvad.ts';
import { rmsDbfs } from '../../../support/levels.ts';
import { framesOf, joined, noise, resampled, silence, speech } from '../../../support/speech-signal.ts';
import { readMonoWav } from '../../../support/wav.ts';

const LIMITS = { preRollMs: 500, endAfterMs: 600, maxMs: 20_000, minMs: 1_000 };
const SENTENCES = [
  'The weather is nice today.',
  'Please call me back tomorrow morning.',
  'What is your name?',
];

/** Most carry 100 to 240 ms of voice. */
const WORDS = ['Yes.', 'No.', 'Six.', 'Two.', 'Eight.', 'Ten.', 'Stop.', 'Yeah.'].concat([
  'Sure.',
  'Right.',
  'Hi.',
  'What?',
  'One.',
  'Five.',
  'Correct.',
  'Thanks.',
]);

const folder = mkdtempSync(join(tmpdir(), 'segments-'));
afterAll(() => rmSync(folder, { recursive: true }));

function segments(signal: Int16Array, rateHz: FvadRateHz): Utterance[] {
  const segmenter = new UtteranceSegmenter(rateHz, LIMITS);
  const found = framesOf(signal, rateHz).map((frame) => segmenter.hear(frame));
  return [...found, segmenter.close()].filter((utterance) => utterance !== null);
}

function samplesOf({ wav }: Utterance): Int16Array {
  const path = join(folder, 'utterance.wav');
  writeFileSync(path, wav);
  const { sampleRateHz, samples } = readMonoWav(path);
  expect(sampleRateHz).toBe(16_000);
  return samples;
}

/** The samples that were heard. */
function withoutFilling(utterance: Utterance): Int16Array {
  return samplesOf(utterance).subarray(0, 16 * (utterance.endMs - utterance.startMs));
}

describe.each<FvadRateHz>([8_000, 16_000, 48_000])('a voice at %i Hz', (rateHz) => {
  it('is cut into its sentences, each with what was before and after it', () => {
    const pause = noise(1_500, rateHz, -60);
    const parts = SENTENCES.map((sentence) => speech(sentence, rateHz));
    const voice = joined(pause, ...parts.flatMap((part) => [part, pause]));
    const found = segments(voice, rateHz);
    expect(found.length).toBe(SENTENCES.length);
    let atMs = 1_500;
    for (const [i, utterance] of found.entries()) {
      const lengthMs = (parts[i]!.length / rateHz) * 1_000;
      expect(utterance.startMs).toBeLessThanOrEqual(atMs);
      expect(utterance.startMs).toBeGreaterThanOrEqual(atMs - 800);
      // Flite ends with up to 200 ms of silence.
      expect(utterance.endMs).toBeGreaterThanOrEqual(atMs + lengthMs - 200);
      expect(utterance.endMs).toBeLessThanOrEqual(atMs + lengthMs + 500);
      expect(samplesOf(utterance).length).toBe((utterance.endMs - utterance.startMs) * 16);
      atMs += lengthMs + 1_500;
    }
  });
});

it('the segment is the voice from its start to its end', () => {
  const voice = joined(silence(1_000, 16_000), speech(SENTENCES[0]!, 16_000), silence(1_000, 16_000));
  const [utterance] = segments(voice, 16_000);
  const { startMs, endMs } = utterance!;
  expect(samplesOf(utterance!)).toEqual(voice.slice(startMs * 16, endMs * 16));
});

it('a voice at another rate is resampled', () => {
  const voice = joined(silence(1_000, 8_000), speech(SENTENCES[0]!, 8_000), silence(1_000, 8_000));
  const [utterance] = segments(voice, 8_000);
  const { startMs, endMs } = utterance!;
  const expected = resampled(voice, 8_000, 16_000).slice(startMs * 16, endMs * 16);
  expect(samplesOf(utterance!)).toEqual(expected);
});

it.each(LOCAL_VOICES)('no answer of one word by $id is lost', ({ id }) => {
  for (const word of WORDS)
    for (const beforeMs of [0, 1_000]) {
      const said = joined(silence(beforeMs, 8_000), speech(word, 8_000, id), silence(1_500, 8_000));
      const found = segments(said, 8_000);
      expect(found.length, word).toBe(1);
      // Recognizers refuse less, and silence after it does no harm.
      const samples = samplesOf(found[0]!);
      expect(samples.length).toBeGreaterThanOrEqual(16 * LIMITS.minMs);
      const lengthMs = found[0]!.endMs - found[0]!.startMs;
      expect(samples.subarray(16 * lengthMs).every((sample) => sample === 0)).toBe(true);
    }
});

it('a click is no utterance', () => {
  const click = noise(20, 16_000, -20);
  expect(segments(joined(silence(1_000, 16_000), click, silence(1_500, 16_000)), 16_000)).toEqual([]);
  expect(segments(silence(5_000, 16_000), 16_000)).toEqual([]);
});

it('a long speech is cut at the limit without losing a sample', () => {
  const sentence = speech(SENTENCES[1]!, 16_000);
  const loud = framesOf(sentence, 16_000).filter((frame) => rmsDbfs(frame) > -45);
  const voice = joined(silence(1_000, 16_000), ...Array.from({ length: 30 }, () => joined(...loud)));
  const found = segments(voice, 16_000);
  expect(found.length).toBe(Math.ceil((found.at(-1)!.endMs - found[0]!.startMs) / LIMITS.maxMs));
  expect(found.length).toBeGreaterThan(2);
  for (const [i, { startMs, endMs }] of found.entries()) {
    expect(endMs - startMs).toBeLessThanOrEqual(LIMITS.maxMs);
    if (i > 0) expect(startMs).toBe(found[i - 1]!.endMs);
  }
  const said = found.map((utterance) => withoutFilling(utterance));
  expect(joined(...said)).toEqual(voice.slice(found[0]!.startMs * 16, found.at(-1)!.endMs * 16));
});

it('an utterance that the end of the call interrupts is kept', () => {
  const voice = joined(silence(1_000, 16_000), speech(SENTENCES[1]!, 16_000).subarray(0, 16_000));
  const found = segments(voice, 16_000);
  expect(found.length).toBe(1);
  expect(found[0]!.endMs).toBe(2_000);
});
