import { loadAddon } from './addon.ts';

/** Interface of waker.c, one per thread. */
export interface Waking {
  readonly version: number;
  /**
   * Calls `answer` on this thread after `wake`, once for calls that came together. Returns the number of this thread's
   * waker, 1 or more, or a negative errno. It does not keep the event loop alive.
   */
  listen(answer: () => void): number;
  /** Wakes the thread that has this waker. Takes no lock and never blocks. */
  wake(waker: number): void;
}

/** Must equal INTERFACE_VERSION in waker.c. */
const VERSION = 1;

/** Returns the reason when it cannot be loaded. */
export function loadWaking(): Waking | string {
  return loadAddon('waker', VERSION);
}
