import { FRAME_MS } from '../../src/base/frame.ts';

const POLL_MS = 5;

/**
 * Calls `frame` once for every 20 ms that have passed, with the time at which it was due: late timers are made up for, so
 * the mean rate never drifts.
 */
export function startMediaClock(frame: (index: number, dueMs: number) => void): { stop(): void } {
  const startMs = performance.now();
  let done = 0;
  const timer = setInterval(() => {
    const due = Math.floor((performance.now() - startMs) / FRAME_MS) + 1;
    for (; done < due; done++) frame(done, startMs + done * FRAME_MS);
  }, POLL_MS);
  return { stop: () => clearInterval(timer) };
}
