import { createRequire } from 'node:module';
import { join } from 'node:path';

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
const BINARY = join(import.meta.dirname, '../../build/waker.node');

/** Loads the binary built by build.ts. Returns the reason when it cannot be loaded. */
export function loadWaking(): Waking | string {
  try {
    const binding = createRequire(import.meta.url)(BINARY) as Waking;
    return binding.version === VERSION ? binding : `it is of version ${binding.version}, not ${VERSION}`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'MODULE_NOT_FOUND' ? 'it was not built' : message;
  }
}
