import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { speechPieces } from '../../../../src/speech/text/speech-pieces.ts';

const LIMITS = { first: 200, rest: 200 };

/** Texts with what decides about cuts, and any characters. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom('. ', '! ', '? ', '… ', '.', ', ', '; ', ' ', '\n', '\n\n', '。', '、', 'Dr. ', '3.14'),
      fc.constantFrom('word', 'Sentence', 'https://a.example/b?c=d', '東京', '👩‍👩‍👧', '🇫🇷', '😀', 'e\u0301'),
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));
const limits = fc.record({
  first: fc.integer({ min: 2, max: 80 }),
  rest: fc.integer({ min: 2, max: 120 }),
});

describe('pieces of a text', () => {
  it.each<[string, string[]]>([
    [
      'It rains in Paris today. The sun shines in Rome.',
      ['It rains in Paris today. ', 'The sun shines in Rome.'],
    ],
    [
      'Is that really the case? Yes, it really is the case!',
      ['Is that really the case? ', 'Yes, it really is the case!'],
    ],
    [
      '今日は東京でとても良い天気ですから散歩に行きましょう。明日は大阪で雨が降るでしょうから家にいましょう。',
      [
        '今日は東京でとても良い天気ですから散歩に行きましょう。',
        '明日は大阪で雨が降るでしょうから家にいましょう。',
      ],
    ],
    ['मैं आज बाज़ार जा रहा हूँ। कल मैं घर पर रहूँगा और पढ़ूँगा।', ['मैं आज बाज़ार जा रहा हूँ। ', 'कल मैं घर पर रहूँगा और पढ़ूँगा।']],
    [
      'The first paragraph has no stop\n\nand the second has none either',
      ['The first paragraph has no stop\n\n', 'and the second has none either'],
    ],
  ])('are its sentences: %j', (text, pieces) => {
    expect(speechPieces(text, LIMITS)).toEqual(pieces);
  });

  it.each([
    'The value of pi is about 3.14 and that of e is 2.71828 or so.',
    'The appointment with Dr. Smith and Mrs. Jones is at St. Mary in the U.S. Embassy.',
    'Open https://www.example.com/a?b=c&d=e!f for more, or write to A.B@example.com please.',
    'Bring paper, e.g. Your notebook, i.e. The blue one, and see Fig. 3 on p. 12 there.',
    'I was thinking... and then I thought of nothing at all.',
    'Visit J. R. R. Tolkien at No. 5 in the Jan. 1930 edition.',
  ])('do not end where no sentence does: %s', (text) => {
    expect(speechPieces(text, LIMITS)).toEqual([text]);
  });

  it('are never very short, unless nothing follows', () => {
    expect(speechPieces('Hi! No. Yes! 1. Take the first road to the left. Bye.', LIMITS)).toEqual([
      'Hi! No. Yes! 1. Take the first road to the left. ',
      'Bye.',
    ]);
  });

  it('begin with a short one, cut at a clause', () => {
    const text =
      'When you have come to the station, take the second train, which goes north, and leave it at the sea.';
    expect(speechPieces(text, { first: 60, rest: 200 })).toEqual([
      'When you have come to the station, take the second train, ',
      'which goes north, and leave it at the sea.',
    ]);
    expect(
      speechPieces('彼は駅に着いてから、二番目の電車に乗り、海のそばで降りました。', {
        first: 15,
        rest: 200,
      }),
    ).toEqual(['彼は駅に着いてから、', '二番目の電車に乗り、海のそばで降りました。']);
  });

  it('are cut between words in a long clause', () => {
    const pieces = speechPieces('word '.repeat(100), { first: 33, rest: 54 });
    expect(pieces[0]).toBe('word '.repeat(6));
    expect(pieces[1]).toBe('word '.repeat(10));
    expect(pieces.every((piece) => /^(word )+$/.test(piece))).toBe(true);
  });

  it('keep the words of a script without spaces whole', () => {
    const pieces = speechPieces('東京大学'.repeat(30), { first: 10, rest: 10 });
    expect(pieces.every((piece) => /^(?:東京|大学)+$/.test(piece))).toBe(true);
  });

  it('keep graphemes whole in a word that is too long', () => {
    const family = '👩‍👩‍👧';
    expect(speechPieces(family.repeat(5), { first: 20, rest: 20 })).toEqual([
      family.repeat(2),
      family.repeat(2),
      family,
    ]);
    const letters = speechPieces('e\u0301'.repeat(50), { first: 7, rest: 7 });
    expect(letters.every((piece) => /^(?:e\u0301)+$/.test(piece))).toBe(true);
  });

  it('are the text when joined, none too long, none empty, and no character is cut', () => {
    fc.assert(
      fc.property(texts, limits, (text, { first, rest }) => {
        const pieces = speechPieces(text, { first, rest });
        expect(pieces.join('')).toBe(text);
        for (const [i, piece] of pieces.entries()) {
          expect(piece.length).toBeGreaterThan(0);
          expect(piece.length).toBeLessThanOrEqual(i === 0 ? first : rest);
          if (text.isWellFormed()) expect(piece.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
