import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Measure } from '../bench.ts';
import type { Surroundings } from './surroundings.ts';

/** What a bench found when it last ran. */
export interface BenchResult {
  readonly title: string;
  /** ISO 8601. */
  readonly date: string;
  readonly rounds: number;
  readonly quick: boolean;
  /** How cores were shared out. */
  readonly cores: string;
  readonly surroundings: Surroundings;
  readonly measures: readonly Measure[];
  /** Why there are no measures. */
  readonly failure?: string;
}

/** The last result of every bench, by its name. */
export type Results = Readonly<Record<string, BenchResult>>;

export function readResults(path: string): Results {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Results) : {};
}

/** All at once, so that a run that is interrupted leaves the former file. */
export function writeResults(path: string, results: Results): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(results, null, 2)}\n`);
  renameSync(`${path}.new`, path);
}
