/** Origin of `performance.now()`, the same on all threads. Cached because the getter is as slow as reading the clock. */
const ORIGIN_MS = performance.timeOrigin;

/** Wall-clock time in milliseconds that never jumps while the process runs and is the same on all threads. */
export function wallMs(): number {
  return ORIGIN_MS + performance.now();
}

/** The same for a time read from this thread's `performance.now()`. */
export function wallMsAt(monotonicMs: number): number {
  return ORIGIN_MS + monotonicMs;
}
