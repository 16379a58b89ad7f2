import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { loadMediaIo } from '../../../src/native/media-io.ts';
import { FIFO, ORDINARY, policy, spin } from './scheduling.ts';

const io = loadMediaIo();
const BUDGET_MS = 20;

const isDenied = typeof io === 'string' || io.precede(BUDGET_MS) < 0;

it.skipIf(isDenied)(
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

it.skipIf(isDenied)(
  'a rest renews the CPU time of a thread that precedes others, and of no other thread',
  async () => {
    const [policies] = await once(new Worker(new URL('resting.worker.ts', import.meta.url)), 'message');
    expect(policies).toEqual([FIFO, FIFO, FIFO, FIFO, ORDINARY]);
  },
);
