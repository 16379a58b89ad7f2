import { join } from 'node:path';
import { type BenchResult, readResults } from './report/results.ts';
import { median } from './report/statistics.ts';

const MEASURE = 'most calls held on one core';
/** Used until `npm run bench -- calls` has been run here. */
const ASSUMED_CALLS = 300;

export interface Density {
  readonly calls: number;
  readonly source: string;
}

/** The maximum number of agent calls on one core, as measured here by `calls`. */
export function knownDensity(): Density {
  return densityIn(readResults(join(import.meta.dirname, 'results/latest.json')));
}

export function densityIn(results: Readonly<Record<string, BenchResult>>): Density {
  const found = results.calls?.measures.find(({ name }) => name === MEASURE);
  const calls = Math.round(median(found?.ours ?? []));
  if (calls > 0) return { calls, source: `found by \`calls\` on ${results.calls?.date.slice(0, 10)}` };
  return { calls: ASSUMED_CALLS, source: 'assumed: `calls` has not been run' };
}
