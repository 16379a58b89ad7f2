import { expect, it } from 'vitest';
import { wordErrorRate, wordErrors } from '../../support/word-errors.ts';

it.each([
  ['one two three', 'one two three', 0],
  ['One, two; three.', 'one two three', 0],
  ['one two three', 'one three', 1],
  ['one two three', 'one two two three', 1],
  ['one two three', 'one too three', 1],
  ['one two three', '', 3],
  ['', 'one two', 2],
  ['one two three', 'two three one', 2],
])('%j understood as %j has %i errors', (said, understood, errors) => {
  expect(wordErrors(said, understood)).toBe(errors);
});

it('the rate counts over all sentences together', () => {
  expect(wordErrorRate(['one two', 'three four'], ['one two three', 'four'])).toBe(0);
  expect(wordErrorRate(['one two', 'three four'], ['one'])).toBe(0.75);
});
