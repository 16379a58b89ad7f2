import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { ManualClock } from './manual-clock.ts';

/** Time passes from timer to timer, but no further at once. */
const MAX_STEP_MS = 100;
/** Turns of the event loop: in one each, a message over loopback is read, its answer, and what follows from that. */
const TURNS_PER_STEP = 5;
/** A busy kernel may deliver late. So often it gets a real moment. */
const STEPS_PER_SLEEP = 5;
/** Requests to the kernel that are not done yet. */
const PENDING = new Set([
  'TCPConnectWrap',
  'GetAddrInfoReqWrap',
  'WriteWrap',
  'ShutdownWrap',
  'FSReqCallback',
]);
const MAX_PENDING_TURNS = 10_000;
const LIMIT_MS = 60_000;

/**
 * A manual clock for parties of one process that talk over loopback. Time passes only while a test waits for it, in
 * short steps, and between two steps everything that was sent arrives. A second takes some milliseconds.
 */
export class SocketClock extends ManualClock {
  #steps = 0;

  async pass(durationMs: number): Promise<void> {
    const endMs = this.monotonicMs() + durationMs;
    await this.#arrive();
    while (this.monotonicMs() < endMs) await this.#step(endMs - this.monotonicMs());
  }

  /** Lets time pass until `condition` gives something truthy, at most a minute. */
  async until(what: string, condition: () => unknown): Promise<void> {
    const endMs = this.monotonicMs() + LIMIT_MS;
    await this.#arrive();
    while (!condition()) {
      if (this.monotonicMs() >= endMs) throw new Error(`a minute passed in vain for ${what}`);
      await this.#step();
    }
  }

  /** Lets time pass until `promise` settles, at most `limitMs`, and returns its value. */
  async settled<T>(what: string, promise: Promise<T>, limitMs = LIMIT_MS): Promise<T> {
    const endMs = this.monotonicMs() + limitMs;
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    await this.#arrive();
    while (!isSettled) {
      if (this.monotonicMs() >= endMs) throw new Error(`${limitMs} ms passed in vain for ${what}`);
      await this.#step();
    }
    return await promise;
  }

  async #step(maxMs = MAX_STEP_MS): Promise<void> {
    this.advance(Math.min(this.restMs, MAX_STEP_MS, maxMs));
    this.#steps += 1;
    if (this.#steps % STEPS_PER_SLEEP === 0) await sleep(1);
    await this.#arrive();
  }

  async #arrive(): Promise<void> {
    let quietTurns = 0;
    for (let turns = 0; quietTurns < TURNS_PER_STEP && turns < MAX_PENDING_TURNS; turns++) {
      await nextTurn();
      const isQuiet = !process.getActiveResourcesInfo().some((resource) => PENDING.has(resource));
      quietTurns = isQuiet ? quietTurns + 1 : 0;
    }
  }
}
