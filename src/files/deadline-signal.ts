import type { Clock } from '../base/time.ts';

/** A signal that aborts after some time with `reason`, unless its work ends before. */
export interface DeadlineSignal {
  readonly signal: AbortSignal;
  end(): void;
}

export function deadlineSignal(clock: Clock, delayMs: number, reason: Error): DeadlineSignal {
  const aborter = new AbortController();
  return { signal: aborter.signal, end: clock.after(delayMs, () => aborter.abort(reason)) };
}
