import { readFileSync } from 'node:fs';

export const ORDINARY = 0;
export const FIFO = 1;

/** Scheduling policy of this thread: field 41 of proc/[pid]/stat. */
export function policy(): number {
  const afterName = readFileSync('/proc/thread-self/stat', 'latin1').split(') ').at(-1)!;
  return Number(afterName.split(' ')[41 - 3]);
}

/** CPU time of this thread so far. */
export function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Uses this much CPU time of this thread. */
export function spin(cpuMs: number): void {
  for (const endMs = usedMs() + cpuMs; usedMs() < endMs; );
}
