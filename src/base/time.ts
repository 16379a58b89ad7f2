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
