import { performance } from 'node:perf_hooks';

/** Shorter looks would see single events. */
const LOOK_MS = 100;

/** Part of its time that this thread has been busy lately. It is measured only while somebody asks. */
export class ThreadUse {
  #before = performance.eventLoopUtilization();
  #atMs = performance.now();
  #busy = 0;

  get busy(): number {
    const nowMs = performance.now();
    if (nowMs - this.#atMs < LOOK_MS) return this.#busy;
    const now = performance.eventLoopUtilization();
    this.#busy = performance.eventLoopUtilization(now, this.#before).utilization;
    this.#before = now;
    this.#atMs = nowMs;
    return this.#busy;
  }
}
