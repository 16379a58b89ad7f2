import { expect, test } from 'vitest';
import { renderTable } from '../../../native-bench/table.ts';

test('medians are compared with the first program, with the spread of the rounds', () => {
  const entries = [
    { program: 'ours', figures: new Map([['µs', [2, 4, 3]]]) },
    { program: 'theirs', figures: new Map([['µs', [1, 2, 3]]]) },
  ];
  expect(renderTable(entries).split('\n')).toEqual([
    '|  | µs |',
    '| --- | --: |',
    '| ours | 3 (2–4) |',
    '| theirs | 2, 0.667 × (0.5–1) |',
  ]);
});

test('many figures become rows, decibels are not divided, and a missing figure stays empty', () => {
  const entries = [
    {
      program: 'ours',
      figures: new Map([
        ['SNR, dB', [70, 70]],
        ['ns', [100, 200]],
      ]),
    },
    { program: 'theirs', figures: new Map([['SNR, dB', [35, 35]]]) },
  ];
  expect(renderTable(entries).split('\n').slice(2)).toEqual([
    '| SNR, dB | 70 | 35 |',
    '| ns | 150 (100–200) |  |',
  ]);
});
