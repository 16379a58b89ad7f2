import { expect, it } from 'vitest';
import type { Measure } from '../../../../bench/bench.ts';
import type { BenchResult } from '../../../../bench/report/results.ts';
import { figure, renderTable } from '../../../../bench/report/table.ts';

const surroundings = { processor: 'p', cores: 2, memoryGib: 8, system: 's', node: 'v22', commit: null };

function result(measures: readonly Measure[], failure?: string): BenchResult {
  const fixed = { title: 't', date: '2026-01-01T00:00:00.000Z', rounds: 5, quick: false, cores: '' };
  return { ...fixed, surroundings, measures, ...(failure === undefined ? {} : { failure }) };
}

it('shows both sides, the ratio, its spread and whether the target is reached', () => {
  const measure: Measure = {
    name: 'reads a second',
    unit: '/s',
    ours: [300, 200, 400],
    anchor: { name: 'fastify', values: [100, 200, 200] },
    target: { atLeast: 1.5 },
  };
  const line = renderTable({ rest: result([measure]) }, ['rest'])
    .split('\n')
    .at(-1);
  expect(line?.split(/ {2,}/)).toEqual([
    ...['rest', 'reads a second', '300 /s', '200 /s', 'fastify', '1.50', '1.00 to 3.00', '>= 1.5 x', 'yes'],
  ]);
});

it('names a missing anchor with the way to get it, and a failed bench', () => {
  const anchor = { name: 'janus', missing: 'apt-get install janus' };
  const results = {
    opus: result([{ name: 'legs', unit: '', ours: [1], anchor, target: { atLeast: 3 } }]),
    mix: result([], 'no port was free\n  at mix.ts'),
  };
  const table = renderTable(results, ['opus', 'mix', 'tick']);
  expect(table).toContain('janus (missing)');
  expect(table).toContain('opus, legs: no janus: apt-get install janus');
  expect(table).toMatch(/^mix +FAILED: no port was free$/m);
  expect(table).not.toMatch(/yes|NO$/m);
});

it('writes figures with three digits', () => {
  expect([0.01234, 12.345, 1234.5, Number.NaN].map(figure)).toEqual(['0.0123', '12.3', '1235', '-']);
});
