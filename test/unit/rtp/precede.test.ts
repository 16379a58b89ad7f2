import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadMediaIo } from '../../../src/native/media-io.ts';

const io = loadMediaIo();
const ORDINARY = 0;
const FIFO = 1;
const BUDGET_MS = 20;

/** Scheduling policy of this thread: field 41 of proc/[pid]/stat. */
function policy(): number {
  const afterName = readFileSync('/proc/thread-self/stat', 'latin1').split(') ').at(-1)!;
  return Number(afterName.split(' ')[41 - 3]);
}

function spin(cpuMs: number): void {
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  for (const endMs = usedMs() + cpuMs; usedMs() < endMs; );
}

it.skipIf(typeof io === 'string' || io.precede(BUDGET_MS) < 0)(
  'a thread precedes others until its CPU time is spent, even in a loop, and again when that is renewed',
  () => {
    if (typeof io === 'string') throw new Error(io);
    for (const _grant of [1, 2]) {
      io.precede(BUDGET_MS);
      expect(policy()).toBe(FIFO);
      spin(2 * BUDGET_MS);
      expect(policy()).toBe(ORDINARY);
    }
  },
);
