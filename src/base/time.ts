/** Cancels a timer. Safe to call twice. */
export type CancelTimer = () => void;

/** Time as a dependency, so that tests can stop or advance it. */
export interface Clock {
  /** Wall-clock time as ISO 8601 in UTC with milliseconds. */
  nowIso(): string;
  /** Milliseconds that never run backwards, from an arbitrary origin. */
  monotonicMs(): number;
  /** Runs `action` once after `delayMs`. Never keeps the process alive. */
  after(delayMs: number, action: () => void): CancelTimer;
}

/** Returns the time `durationMs` after `iso` as ISO 8601. A negative duration gives an earlier time. */
export function isoAfter(iso: string, durationMs: number): string {
  return new Date(Date.parse(iso) + durationMs).toISOString();
}

/** Returns the latest of these times, all of them ISO 8601 in UTC with milliseconds. '' stands for no time. */
export function latestOf(...isos: readonly string[]): string {
  return isos.toSorted().at(-1) ?? '';
}

/** Returns the UTC date of a time: YYYY-MM-DD. */
export function dayOf(iso: string): string {
  return iso.slice(0, 'YYYY-MM-DD'.length);
}

export const systemClock: Clock = {
  nowIso: () => new Date().toISOString(),
  monotonicMs: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

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

export interface TimeLimitOptions {
  /** Aborts the limit's signal as well, without passing on its reason. */
  readonly outer?: AbortSignal | undefined;
  /** Abort reason when the time is over. An AbortError by default. */
  readonly reason?: Error;
}

/** A signal that aborts after a duration or together with an outer signal. Call `close` when it is no longer needed. */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort();
  readonly #cancelTimer: CancelTimer;

  constructor(clock: Clock, durationMs: number, { outer, reason }: TimeLimitOptions = {}) {
    this.#outer = outer;
    this.#cancelTimer = clock.after(durationMs, () => this.#controller.abort(reason));
    if (outer?.aborted) this.#abort();
    else outer?.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Removes the time limit. From now on only the outer signal aborts. */
  lift(): void {
    this.#cancelTimer();
  }

  /** Releases the timer and the outer signal. Safe to call twice. */
  close(): void {
    this.#cancelTimer();
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}

/** Exponential backoff with up to 20% random reduction, so that many bots do not reconnect at once. */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #failures = 0;

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
  }

  next(): number {
    const fullMs = Math.min(this.#longestMs, this.#firstMs * 2 ** this.#failures);
    this.#failures += 1;
    return fullMs * (1 - Math.random() / 5);
  }

  reset(): void {
    this.#failures = 0;
  }
}
