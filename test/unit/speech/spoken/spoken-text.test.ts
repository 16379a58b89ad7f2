import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CharacterAlignment } from '../../../../src/speech/spoken/character-alignment.ts';
import { estimatedText } from '../../../../src/speech/spoken/estimated-text.ts';
import { WordAlignment } from '../../../../src/speech/spoken/word-alignment.ts';

const TEXT = 'Your order, number 3.14, left today.';

/** The text with 50 ms a character, as one chunk. */
function timesOf(text: string, fromMs: number) {
  const characters = [...text];
  return { characters, startsMs: characters.map((_, i) => fromMs + i * 50) };
}

describe('estimated spoken text', () => {
  const after = (playedMs: number) =>
    estimatedText([{ text: TEXT, audioMs: TEXT.length * 50, isComplete: true }], playedMs);

  it.each([
    [0, ''],
    [150, ''],
    [250, 'Your'],
    [500, 'Your order'],
    [600, 'Your order,'],
    [1_100, 'Your order, number'],
    [1_199, 'Your order, number 3.14'],
    [1_200, 'Your order, number 3.14,'],
    [TEXT.length * 50, TEXT],
    [1e9, TEXT],
    [-1, ''],
  ])('is proportional, in whole words: after %i ms', (playedMs, spoken) => {
    expect(after(playedMs)).toBe(spoken);
  });

  it('counts parts that were played to the end, and a share of the next one', () => {
    const parts = [
      { text: 'First part. ', audioMs: 1_000, isComplete: true },
      { text: '\n', audioMs: 0, isComplete: true },
      { text: 'Second part here.', audioMs: 2_000, isComplete: true },
    ];
    expect(estimatedText(parts, 900)).toBe('First part');
    expect(estimatedText(parts, 1_000)).toBe('First part.');
    expect(estimatedText(parts, 2_000)).toBe('First part. \nSecond');
  });

  it('assumes an ordinary pace while the length is unknown', () => {
    const part = { text: 'one two three four five six', audioMs: 300, isComplete: false };
    expect(estimatedText([part], 300)).toBe('one');
    expect(estimatedText([part], 1_000)).toBe('one two three');
    expect(estimatedText([{ ...part, audioMs: 10_000 }], 5_000)).toBe('one two three');
  });

  it('is nothing without parts', () => {
    expect(estimatedText([], 1_000)).toBe('');
  });

  it('is a start of the text that never shrinks and never cuts a character', () => {
    const some = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(some, fc.nat(3_000), fc.nat(3_000), (text, one, other) => {
        const [earlier, later] = [one, other].sort((a, b) => a - b);
        const at = (playedMs: number) =>
          estimatedText([{ text, audioMs: 3_000, isComplete: true }], playedMs);
        expect(text.startsWith(at(later!))).toBe(true);
        expect(at(later!).startsWith(at(earlier!))).toBe(true);
        expect(at(earlier!).isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('spoken text by the times of characters', () => {
  it('ends with the last word whose characters have all begun', () => {
    const alignment = new CharacterAlignment();
    alignment.add(timesOf(TEXT, 0), TEXT.length * 50);
    expect(alignment.spokenText(0)).toBe('');
    expect(alignment.spokenText(150)).toBe('');
    expect(alignment.spokenText(151)).toBe('Your');
    expect(alignment.spokenText(1e9)).toBe(TEXT);
  });

  it.each([
    ['from the start of each chunk', 0],
    ['from the start of the utterance', 1],
  ])('understands times %s', (_, isRunning) => {
    const alignment = new CharacterAlignment();
    let atMs = 0;
    for (const chunk of ['One two ', 'three ', 'four five.']) {
      // A chunk begins with 30 ms of silence.
      const fromMs = 30 + isRunning * atMs;
      alignment.add(timesOf(chunk, fromMs), 30 + chunk.length * 50);
      atMs += 30 + chunk.length * 50;
    }
    expect(alignment.spokenText(430)).toBe('One two');
    expect(alignment.spokenText(800)).toBe('One two three');
    expect(alignment.spokenText(atMs)).toBe('One two three four five.');
  });

  it('passes over chunks without times', () => {
    const alignment = new CharacterAlignment();
    alignment.add(null, 200);
    alignment.add(timesOf('Hello there', 0), 550);
    expect(alignment.spokenText(390)).toBe('');
    expect(alignment.spokenText(410)).toBe('Hello');
  });

  it('counts characters outside the basic plane as one', () => {
    const alignment = new CharacterAlignment();
    alignment.add(timesOf('😀😀 yes 😀', 0), 400);
    expect(alignment.spokenText(60)).toBe('😀😀');
    expect(alignment.spokenText(10)).toBe('😀');
  });
});

describe('spoken text by the times of words', () => {
  it('ends with the last word that was spoken to its end, and its mark', () => {
    const alignment = new WordAlignment(TEXT);
    alignment.add({ words: ['Your', 'order'], endsS: [0.3, 0.6] });
    alignment.add({ words: ['number', '3.14', 'left', 'today'], endsS: [1, 1.5, 1.8, 2.1] });
    expect(alignment.spokenText(299)).toBe('');
    expect(alignment.spokenText(300)).toBe('Your');
    expect(alignment.spokenText(700)).toBe('Your order,');
    expect(alignment.spokenText(1_600)).toBe('Your order, number 3.14,');
    expect(alignment.spokenText(9_000)).toBe(TEXT);
  });

  it('skips words that the text does not have', () => {
    const alignment = new WordAlignment('It costs $5 today.');
    alignment.add({ words: ['It', 'costs', 'five', 'dollars', 'today'], endsS: [0.1, 0.2, 0.3, 0.4, 0.5] });
    expect(alignment.spokenText(450)).toBe('It costs');
    expect(alignment.spokenText(500)).toBe('It costs $5 today.');
  });

  it('finds repeated words in their order', () => {
    const alignment = new WordAlignment('no no no, never');
    alignment.add({ words: ['no', 'no', 'no', 'never'], endsS: [0.1, 0.2, 0.3, 0.4] });
    expect(alignment.spokenText(100)).toBe('no');
    expect(alignment.spokenText(200)).toBe('no no');
    expect(alignment.spokenText(300)).toBe('no no no,');
  });

  it('is nothing before any times are known', () => {
    expect(new WordAlignment(TEXT).spokenText(1_000)).toBe('');
  });
});
