import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignedText, estimatedText } from '../../../src/speech/speaking/utterance.ts';

const TEXT = 'One two three four.';

describe('the text that was heard', () => {
  it('is what the vendor says had started', () => {
    const parts = [...'Hi you'].map((text, i) => ({ text, startMs: i * 100 }));
    expect(alignedText(parts, 0)).toBe('');
    expect(alignedText(parts, 1)).toBe('H');
    expect(alignedText(parts, 250)).toBe('Hi');
    expect(alignedText(parts, 1_000)).toBe('Hi you');
  });

  it('is estimated in whole words, more with time, and all of it at the end', () => {
    const starts = ['', 'One', 'One two', 'One two three', 'One two three four'];
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 1, max: 500 }), (playedMs, laterMs) => {
        const audio = { audioMs: 1_000, isWhole: true };
        const earlier = estimatedText(TEXT, playedMs, audio);
        const later = estimatedText(TEXT, playedMs + laterMs, audio);
        expect(starts).toContain(earlier);
        expect(later.startsWith(earlier)).toBe(true);
      }),
    );
    expect(estimatedText(TEXT, 1_000, { audioMs: 1_000, isWhole: true })).toBe(TEXT);
  });

  it('is not taken for all of the text while more audio may come', () => {
    expect(estimatedText(TEXT, 500, { audioMs: 500, isWhole: false })).toBe('One two');
  });
});
