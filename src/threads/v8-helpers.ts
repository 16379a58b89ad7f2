import { readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

const TASKS = '/proc/self/task';
/** Lower by as much as bridge threads: a quarter of a core beside a thread that spins. */
const NICE = 5;

/**
 * Lets V8's helper threads, which compile and collect garbage in the background, yield to the main and engine threads
 * where all share one core. Otherwise each helper takes as much of the core as the main thread. Call it before any other
 * thread is started: helpers have no name to be known by. Does nothing where the system has no such folder (macOS).
 */
export function makeHelpersYield(): void {
  const nice = Math.min(getPriority() + NICE, constants.priority.PRIORITY_LOW);
  for (const id of otherThreads()) {
    try {
      // Linux has a nice value for each thread.
      setPriority(id, nice);
    } catch {
      // The thread has ended, or may not be changed.
    }
  }
}

function otherThreads(): number[] {
  try {
    return readdirSync(TASKS)
      .map(Number)
      .filter((id) => id !== process.pid);
  } catch {
    return [];
  }
}
