import { availableParallelism } from 'node:os';
import { availableMemoryBytes } from '../base/memory-limit.ts';
import { threadUse } from '../base/thread-use.ts';
import type { LoadGauge } from '../calls/admission.ts';
import type { Engine } from '../threads/engine.ts';
import { LATENESS_BOUNDS_MS } from '../threads/engine-stats.ts';

/** A tick that is later than this is heard, sooner or later. */
const LATE_MS = 5;
const FIRST_LATE_BUCKET = LATENESS_BOUNDS_MS.findIndex((boundMs) => boundMs >= LATE_MS) + 1;
/** One late tick in two hundred is too many. */
const MOST_LATE = 0.005;
/** One look in which everything was late, as when the first calls come, fills nothing. */
const MOST_SHARE = 2;

/** What calls use up on this machine. */
export function loadGauges(engine: Engine): LoadGauge[] {
  return [
    {
      name: 'engine',
      shortage: 'the engine threads are busy',
      full: 0.75,
      clear: 0.6,
      growsWithCalls: true,
      read: busiestEngineThread(engine),
    },
    {
      name: 'main',
      shortage: 'the main thread is busy',
      full: 0.8,
      clear: 0.65,
      growsWithCalls: true,
      read: threadUse(),
    },
    {
      name: 'cores',
      shortage: 'the processor is busy',
      full: 0.85,
      clear: 0.7,
      growsWithCalls: true,
      read: processorUse(),
    },
    {
      name: 'ticks',
      shortage: 'audio is late',
      full: 1,
      clear: 0.25,
      growsWithCalls: false,
      read: lateTicks(engine),
    },
    {
      name: 'memory',
      shortage: 'memory is short',
      full: 0.9,
      clear: 0.85,
      growsWithCalls: false,
      read: memoryUse,
    },
  ];
}

/** Part of its time that the busiest engine thread works, waits for the processor included. */
function busiestEngineThread(engine: Engine): () => number {
  let before = new Map<number, number>();
  const elapsedMs = stopwatch();
  return () => {
    const { workers } = engine.report();
    const busy = new Map(workers.map(({ threadId, numbers }) => [threadId, numbers.busy_ms]));
    const most = Math.max(0, ...Array.from(busy, ([id, ms]) => ms - (before.get(id) ?? ms)));
    before = busy;
    return most / elapsedMs();
  };
}

/** Part of the processor time that the process may use, which it uses: all of its threads and kernel work. */
function processorUse(): () => number {
  let before = process.cpuUsage();
  const elapsedMs = stopwatch();
  return () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    return (user + system) / 1_000 / elapsedMs() / availableParallelism();
  };
}

/** Late ticks, as a part of the most that there may be. */
function lateTicks(engine: Engine): () => number {
  let before = { late: 0, all: 0 };
  return () => {
    const { latenessCounts } = engine.report().total;
    const now = { late: sum(latenessCounts.slice(FIRST_LATE_BUCKET)), all: sum(latenessCounts) };
    const [late, all] = [now.late - before.late, now.all - before.all];
    before = now;
    return all === 0 ? 0 : Math.min(MOST_SHARE, late / all / MOST_LATE);
  };
}

function memoryUse(): number {
  return process.memoryUsage.rss() / availableMemoryBytes();
}

/** Returns the milliseconds since it was called last. */
function stopwatch(): () => number {
  let beforeMs = performance.now();
  return () => {
    const nowMs = performance.now();
    const elapsedMs = nowMs - beforeMs;
    beforeMs = nowMs;
    return Math.max(1, elapsedMs);
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
