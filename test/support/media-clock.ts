import { FRAME_MS } from '../../src/base/frame.ts';

const POLL_MS = 5;

/** Calls `frame` once for every 20 ms that have passed: late timers are made up for, so the mean rate never drifts. */
export function startMediaClock(frame: (index: number) => void): { stop(): void } {
  const startMs = performance.now();
  let done = 0;
  const timer = setInterval(() => {
    const due = Math.floor((performance.now() - startMs) / FRAME_MS) + 1;
    while (done < due) frame(done++);
  }, POLL_MS);
  return { stop: () => clearInterval(timer) };
}
