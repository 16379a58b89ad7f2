import type { Clock } from './time.ts';
import { TimeLimit } from './time-limit.ts';

/** Runs a function with a signal that aborts after `deadlineMs` or when `parent` aborts. */
export async function withDeadline<T>(
  clock: Clock,
  deadlineMs: number,
  parent: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new TimeLimit(clock, deadlineMs, { outer: parent });
  try {
    return await run(limit.signal);
  } finally {
    limit.close();
  }
}

/** Resolves after `durationMs`, or immediately when `signal` aborts. */
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

/** Like `withDeadline`, but rejects with `late()` at the deadline even when the function ignores its signal. */
export async function answeredWithin<T>(
  clock: Clock,
  deadlineMs: number,
  late: () => Error,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const controller = new AbortController();
  const cancel = clock.after(deadlineMs, () => {
    controller.abort();
    reject(late());
  });
  try {
    return await Promise.race([run(controller.signal), tooLate]);
  } finally {
    cancel();
  }
}

/** Waits until all promises have settled, but at most `deadlineMs`. */
export async function settledWithin(
  clock: Clock,
  deadlineMs: number,
  promises: readonly Promise<unknown>[],
): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(deadlineMs, resolve);
  await Promise.race([Promise.allSettled(promises), late]);
  cancel();
}
