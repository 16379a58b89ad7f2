import { expect, it } from 'vitest';
import { undisturbed } from '../../../bench/stalls/stalls.ts';

const STALLS = [{ fromUs: 100, untilUs: 200 }];

it.each([
  ['before a stall', 10, 100, true],
  ['after it', 200, 250, true],
  ['into it', 50, 101, false],
  ['out of it', 199, 250, false],
  ['across it', 50, 250, false],
  ['within it', 120, 130, false],
  ['never arrived', 50, Number.POSITIVE_INFINITY, true],
])('a passage %s', (_, fromUs, untilUs, isKept) => {
  const passage = { fromUs, untilUs };
  expect(undisturbed([passage], STALLS)).toEqual(isKept ? [passage] : []);
});
