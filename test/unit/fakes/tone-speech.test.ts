import { expect, test } from 'vitest';
import { silence, ToneRecognizer, toneSpeech, understand, VOCABULARY } from '../../fakes/tone-speech.ts';

const FORMATS = [
  { encoding: 's16le', sampleRateHz: 8_000 },
  { encoding: 's16le', sampleRateHz: 16_000 },
  { encoding: 's16le', sampleRateHz: 24_000 },
  { encoding: 's16le', sampleRateHz: 48_000 },
  { encoding: 'mulaw', sampleRateHz: 8_000 },
] as const;

test.each(FORMATS)('tone speech is understood in $encoding at $sampleRateHz Hz', (format) => {
  const text = VOCABULARY.join(' ');
  expect(understand(toneSpeech(text, format), format)).toBe(text);
});

test('words have their times, in chunks of any size', () => {
  const format = FORMATS[1];
  const audio = Buffer.concat([silence(70, format), toneSpeech('alpha, Zulu!', format)]);
  const recognizer = new ToneRecognizer(format);
  const words = Array.from(audio, (_, at) => recognizer.hear(audio.subarray(at, at + 1))).flat();
  expect(words).toEqual([
    { text: 'alpha', startMs: 70, endMs: 270 },
    { text: 'zulu', startMs: 370, endMs: 570 },
  ]);
  expect(recognizer.silentMs).toBe(100);
});

test.each(FORMATS)('words are understood wherever they begin in $encoding at $sampleRateHz Hz', (format) => {
  const text = VOCABULARY.join(' ');
  for (let lateMs = 1; lateMs < 10; lateMs += 2) {
    expect(understand(Buffer.concat([silence(lateMs, format), toneSpeech(text, format)]), format)).toBe(text);
  }
});

test('silence has no words', () => {
  expect(understand(silence(1_000, FORMATS[0]), FORMATS[0])).toBe('');
});
