import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_PARTS, splitText } from '../../../../src/messaging/outbox/split-text.ts';

const upTo = (most: number) => (part: string) => part.length <= most;

describe('a text is split', () => {
  it.each<[string, string, number, string[]]>([
    ['not if it fits', 'one two', 10, ['one two']],
    ['at paragraphs', 'one two\n\nthree\nfour', 14, ['one two', 'three\nfour']],
    ['at lines', 'one two\nthree four', 12, ['one two', 'three four']],
    ['at sentences', 'One. Two three four.', 15, ['One. Two three', 'four.']],
    ['at words', 'one two three', 8, ['one two', 'three']],
    ['in a long word', 'abcdefgh', 3, ['abc', 'def', 'gh']],
    ['between whole characters', '😀😀😀', 3, ['😀', '😀', '😀']],
  ])('%s', (_where, text, most, parts) => expect(splitText(text, upTo(most))).toEqual(parts));

  it('in code, which is closed and opened again', () => {
    const code = ['a = 1', 'b = 2', 'c = 3', 'd = 4'];
    const text = `Look:\n\n\`\`\`js\n${code.join('\n')}\n\`\`\`\n\nDone.`;
    const parts = splitText(text, upTo(32))!;
    expect(parts.every((part) => part.length <= 32)).toBe(true);
    expect(parts).toEqual(['Look:\n\n```js\na = 1\nb = 2\n```', '```js\nc = 3\nd = 4\n```\n\nDone.']);
  });

  it('into nothing if no part fits, or there would be too many', () => {
    expect(splitText('abc', () => false)).toBeNull();
    expect(splitText('a '.repeat(2 * MOST_PARTS), upTo(2))).toBeNull();
  });

  it('without losing or repeating a word', () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    const separator = fc.constantFrom(' ', '\n', '\n\n', '. ');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(word, separator), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 20, max: 80 }),
        (pieces, most) => {
          const text = pieces.flat().join('').trim();
          const parts = splitText(text, upTo(most));
          if (parts === null) return;
          expect(parts.every((part) => part.length <= most && part.trim() !== '')).toBe(true);
          expect(parts.join(' ').split(/\s+/)).toEqual(text.split(/\s+/));
        },
      ),
    );
  });
});
