import { Worker } from 'node:worker_threads';
import { afterAll, beforeEach } from 'vitest';
import { FRAME_MS } from '../../src/base/frame.ts';

const MAX_RETRIES = 4;

/** Sleeps a millisecond at a time and notes how much too long that took at worst, in microseconds. */
const WATCHING = `
  const { workerData: { worst } } = require('node:worker_threads');
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let lastMs = performance.now(); ; ) {
    Atomics.wait(never, 0, 0, 1);
    const nowMs = performance.now();
    const lateUs = Math.round((nowMs - lastMs - 1) * 1_000);
    if (lateUs > Atomics.load(worst, 0)) Atomics.store(worst, 0, lateUs);
    lastMs = nowMs;
  }
`;

/**
 * Distinguishes a late gateway from a machine whose processors were stalled. A test of real time that failed is tried
 * again only where a thread that does nothing but sleep was late, too, by more than `toleratedMs`. For one file:
 *
 *     const retry = retryAfterStall(5);
 *     it('comes in time', { retry }, …)
 */
export function retryAfterStall(toleratedMs: number): { count: number; condition: () => boolean } {
  const probe = new StallProbe();
  beforeEach(() => probe.forget());
  afterAll(() => probe.stop());
  return { count: MAX_RETRIES, condition: () => probe.worstMs > toleratedMs };
}

/** The same for tests that judge audio: where the machine stalls for a frame, phones and agents are late, too. */
export function retryAudio(): ReturnType<typeof retryAfterStall> {
  return retryAfterStall(FRAME_MS);
}

class StallProbe {
  readonly #worst = new Int32Array(new SharedArrayBuffer(4));
  readonly #worker = new Worker(WATCHING, { eval: true, workerData: { worst: this.#worst } });

  /** Forgets what was measured before the try that begins now. */
  forget(): void {
    Atomics.store(this.#worst, 0, 0);
  }

  get worstMs(): number {
    return Atomics.load(this.#worst, 0) / 1_000;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
