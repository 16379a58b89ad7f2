import { describe, expect, it } from 'vitest';
import { FLITE_RATE_HZ, fliteText, MAX_FLITE_CHARS, speak } from '../../../../src/speech/local/flite.ts';
import { LOCAL_VOICES } from '../../../../src/speech/local/flite-voices.ts';
import { rmsDbfs } from '../../../support/levels.ts';

const SENTENCE = 'The quick brown fox jumps over the lazy dog.';

describe('Flite', () => {
  it.each(LOCAL_VOICES.map(({ id }) => id))('speaks with the voice %s', (voice) => {
    const samples = speak({ text: SENTENCE, voice });
    const lengthS = samples.length / FLITE_RATE_HZ;
    expect(lengthS).toBeGreaterThan(2);
    expect(lengthS).toBeLessThan(4);
    expect(rmsDbfs(samples)).toBeGreaterThan(-32);
    expect(rmsDbfs(samples)).toBeLessThan(-10);
    // The next synthesis starts in a new memory.
    expect(speak({ text: SENTENCE, voice })).toEqual(samples);
    expect(samples.buffer.byteLength).toBe(samples.byteLength);
  });

  it('has voices that differ', () => {
    const spoken = LOCAL_VOICES.map(({ id }) => speak({ text: 'Hello.', voice: id }));
    expect(new Set(spoken.map((samples) => Buffer.from(samples.buffer).toString('hex'))).size).toBe(
      LOCAL_VOICES.length,
    );
  });

  it.each(['', ' ', '...', '!?', '😀', '今日は', '\0', '-'])('says nothing for %j', (text) => {
    expect(speak({ text, voice: 'slt' }).length).toBe(0);
  });

  it.each([
    ['digits', '1'.repeat(MAX_FLITE_CHARS)],
    ['letters', 'a'.repeat(MAX_FLITE_CHARS)],
    ['punctuation', 'a!'.repeat(MAX_FLITE_CHARS / 2)],
    ['an option', '-voice /etc/passwd'],
    ['markup', '<speak><audio src="/etc/passwd"/>hello</speak>'],
    ['a zero', 'before\0after'],
    ['percent signs', '%s%n%d%s%n%d'],
    ['mixed', '12:30pm $5,000.99 & 50% #1 @home 1/2 2026-11-23 http://a.example/b?c=d'],
  ])('survives %s', (_, text) => {
    const lengthS = speak({ text, voice: 'kal16' }).length / FLITE_RATE_HZ;
    expect(lengthS).toBeGreaterThan(0.3);
    expect(lengthS).toBeLessThan(200);
  });

  it('refuses a text that is too long', () => {
    expect(() => speak({ text: 'a'.repeat(MAX_FLITE_CHARS + 1), voice: 'slt' })).toThrow('too long');
  });
});

describe('text for Flite', () => {
  it.each([
    ['Café – “naïve” Łódź’s straße…', 'Cafe ,  "naive" lodz\'s strasse...'],
    ['Price: 5 €, 20 °C', 'Price: 5  euro , 20  degrees C'],
    ['full width ＡＢＣ１２３', 'full width ABC123'],
    ['tab\tline\nzero\0end', 'tab line zero end'],
    ['我 says 你好', '  says   '],
  ])('is ASCII: %j', (text, ascii) => {
    expect(fliteText(text)).toBe(ascii);
  });
});
