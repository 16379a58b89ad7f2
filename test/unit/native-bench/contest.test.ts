import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { contest } from '../../../native-bench/contest.ts';

const UNPINNED = { gateway: [], generators: [] };

test('programs run in turns, and only their numbers become figures', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'contest-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = join(folder, 'log');
  const script = (name: string, value: number) =>
    `fs.appendFileSync(${JSON.stringify(log)}, '${name}'); console.log('{"µs":${value},"histogram":[]}')`;
  const programs = [
    { name: 'a', command: [process.execPath, '-e', script('a', 1)] },
    { name: 'b', command: [process.execPath, '-e', script('b', 2)] },
  ];
  const results = await contest(programs, 2, UNPINNED, () => {});
  expect(readFileSync(log, 'utf8')).toBe('abab');
  expect(results).toEqual([new Map([['µs', [1, 1]]]), new Map([['µs', [2, 2]]])]);
});

test('a helper process is ended with its program', async () => {
  const endless = [process.execPath, '-e', 'setInterval(() => {}, 1000)'];
  const program = { name: 'a', command: [process.execPath, '-e', 'console.log("{}")'], beside: endless };
  await expect(contest([program], 1, UNPINNED, () => {})).resolves.toEqual([new Map()]);
});

test('a program that fails ends the contest', async () => {
  const program = { name: 'a', command: [process.execPath, '-e', 'process.exit(3)'] };
  await expect(contest([program], 1, UNPINNED, () => {})).rejects.toThrow('Command failed');
});
