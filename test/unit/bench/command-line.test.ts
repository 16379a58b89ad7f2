import { expect, it } from 'vitest';
import { readOrder } from '../../../bench/command-line.ts';

const KNOWN = ['calls', 'rest'];

it('runs everything five times by default', () => {
  expect(readOrder([], KNOWN)).toEqual({ names: KNOWN, rounds: 5, quick: false, help: false });
});

it('accepts names, a number of rounds, and a quick mode', () => {
  expect(readOrder(['rest', '--rounds', '7'], KNOWN)).toMatchObject({ names: ['rest'], rounds: 7 });
  expect(readOrder(['speech'], ['calls', 'speech-ticks', 'speech-calls'])).toMatchObject({
    names: ['speech-ticks', 'speech-calls'],
  });
  expect(readOrder(['--quick'], KNOWN)).toMatchObject({ quick: true, rounds: 2 });
  expect(readOrder(['--quick', '--rounds=9'], KNOWN)).toMatchObject({ rounds: 9 });
});

it('refuses unknown names and options', () => {
  expect(() => readOrder(['rset'], KNOWN)).toThrow('unknown bench: rset. Known are: calls, rest');
  expect(() => readOrder(['--rounds', '0'], KNOWN)).toThrow('whole number');
  expect(() => readOrder(['--fast'], KNOWN)).toThrow();
});
