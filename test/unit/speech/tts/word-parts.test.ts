import { expect, test } from 'vitest';
import { WordParts } from '../../../../src/speech/vendors/cartesia/cartesia-tts.ts';

function partsOf(text: string, words: readonly string[]) {
  const parts = new WordParts(text);
  return words.map((word, place) => parts.next(word, 100 * place)?.text ?? null);
}

test('each word has the marks and spaces that follow it', () => {
  expect(partsOf('“Well, yes” – she said.', ['Well', 'yes', 'she', 'said'])).toEqual([
    '“Well, ',
    'yes” ',
    '– she ',
    'said.',
  ]);
});

test('marks within the word of the vendor count once', () => {
  expect(partsOf('Well, yes.', ['Well,', 'yes.'])).toEqual(['Well, ', 'yes.']);
});

test('the text of a word that is spelled out belongs to the next one', () => {
  expect(partsOf('It costs 20 euros', ['It', 'costs', 'twenty', 'euros'])).toEqual([
    'It ',
    'costs ',
    null,
    '20 euros',
  ]);
});

test('the parts of a text in which all words are found are the whole text', () => {
  const text = 'One two. Two one, one!';
  expect(partsOf(text, ['One', 'two', 'Two', 'one', 'one']).join('')).toBe(text);
});

test('a word is not looked for in the far end of a text', () => {
  expect(partsOf(`alpha ${'x'.repeat(300)} bravo`, ['alpha', 'bravo'])).toEqual(['alpha ', null]);
});
