import { expect, it } from 'vitest';
import { cutText } from '../../../src/base/cut-text.ts';

it.each([
  ['', 3, ''],
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['ab👍', 4, 'ab👍'],
  ['ab👍c', 3, 'ab'],
  ['👍', 1, ''],
])('%j, at most %i units: %j', (text, most, start) => {
  expect(cutText(text, most)).toBe(start);
});
