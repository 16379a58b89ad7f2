import { setPriority } from 'node:os';

/** As a nice value: before everything ordinary, behind the system's own urgent work. */
export const MEDIA_NICE = -10;

/**
 * Asks for this thread, and it alone, to run before others: a tick that waits for a busy machine is a gap that people
 * hear. Linux keeps the value by thread. Without the right to it (CAP_SYS_NICE, RLIMIT_NICE) everything works as well
 * as the machine's load allows.
 */
export function raiseThreadPriority(): void {
  // Elsewhere the value belongs to the whole process, which has no need to hurry.
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, MEDIA_NICE);
  } catch {
    // Not permitted, as usual for a process that is not root's.
  }
}
