import { performance } from 'node:perf_hooks';

/** Shorter looks would see single events. */
const LOOK_MS = 100;

/** Tells the part of its time that this thread was busy since the last call. */
export function threadUse(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

/** Part of its time that this thread has been busy lately. It is measured only while somebody asks. */
export class ThreadUse {
  readonly #sinceLast = threadUse();
  #atMs = performance.now();
  #busy = 0;

  get busy(): number {
    const nowMs = performance.now();
    if (nowMs - this.#atMs < LOOK_MS) return this.#busy;
    this.#busy = this.#sinceLast();
    this.#atMs = nowMs;
    return this.#busy;
  }
}
