import { readFileSync } from 'node:fs';
import { afterEach, beforeEach } from 'vitest';

/** A unit test that takes longer fails: it waits for real time that a clock of the test should give, or is no unit test. */
const LIMIT_MS = 1_000;
const NS_PER_MS = 1e6;

let started = { wallMs: 0, delayMs: 0 };

// Hooks of a setup file are the outermost: the test's own are counted.
beforeEach(() => {
  started = now();
});

afterEach(({ task }) => {
  const ended = now();
  const tookMs = ended.wallMs - started.wallMs - (ended.delayMs - started.delayMs);
  task.meta.tookMs = tookMs;
  if (tookMs <= LIMIT_MS || task.concurrent) return;
  throw new Error(`took ${Math.round(tookMs)} ms; a unit test may take ${LIMIT_MS} ms`);
});

/**
 * Time, and how much of it this thread could have run but the machine was busy with something else: that does not count,
 * so that the same test takes the same time on a busy machine. Only Linux tells; elsewhere it counts.
 */
function now(): { readonly wallMs: number; readonly delayMs: number } {
  return { wallMs: performance.now(), delayMs: runDelayMs() };
}

function runDelayMs(): number {
  try {
    // "time on the CPU, time waiting for it, number of slices": https://docs.kernel.org/scheduler/sched-stats.html
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / NS_PER_MS;
  } catch {
    return 0;
  }
}
