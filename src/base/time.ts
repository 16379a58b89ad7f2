/** Cancels a timer; safe to call twice. */
export type CancelTimer = () => void;

/** Time as a dependency, so that a test can hold it still or turn it forward. */
export interface Clock {
  /** Wall-clock time as ISO 8601 in UTC with milliseconds. */
  nowIso(): string;
  /** Milliseconds that never run backwards; the origin is arbitrary. */
  monotonicMs(): number;
  /** Runs `action` once after `delayMs`; never keeps the process alive. */
  after(delayMs: number, action: () => void): CancelTimer;
}

/** ISO 8601 of the moment `durationMs` after `iso`; before it when that is negative. */
export function isoAfter(iso: string, durationMs: number): string {
  return new Date(Date.parse(iso) + durationMs).toISOString();
}

/** The latest of these times, all of them ISO 8601 in UTC with milliseconds; '' stands for no time. */
export function latestOf(...isos: readonly string[]): string {
  return isos.toSorted().at(-1) ?? '';
}

/** The day of a moment in UTC: YYYY-MM-DD. */
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
