import { expect, test } from 'vitest';
import { retryDelayMs } from '../../../src/speech/vendor-socket.ts';

test('retries wait longer from one to the next, 8 s at most', () => {
  expect([1, 2, 3, 4, 5, 50].map((failures) => retryDelayMs(failures, 1))).toEqual([
    1_000, 2_000, 4_000, 8_000, 8_000, 8_000,
  ]);
});

test('retries wait 0.5 s at least', () => {
  expect([1, 5].map((failures) => retryDelayMs(failures, 0))).toEqual([500, 500]);
});
