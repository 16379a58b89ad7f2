import type { Clock } from './time.ts';

/** Runs something with a signal that aborts after so long, or when `parent` does. */
export async function withDeadline<T>(
  clock: Clock,
  deadlineMs: number,
  parent: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const cancel = clock.after(deadlineMs, () => late.abort());
  try {
    return await run(AbortSignal.any([late.signal, parent]));
  } finally {
    cancel();
  }
}

/** Resolves after so long, or at once when `signal` aborts. */
export async function pause(clock: Clock, durationMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => resolve();
  const cancel = clock.after(durationMs, wake);
  signal.addEventListener('abort', wake, { once: true });
  await promise;
  signal.removeEventListener('abort', wake);
  cancel();
}
