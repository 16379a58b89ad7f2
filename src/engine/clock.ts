import { FRAME_MS } from '../base/frame.ts';
import type { EngineStats } from '../threads/engine-stats.ts';

/** Ticks that are made up for after a delay; what is beyond is skipped and counted. */
const MAX_CATCH_UP_TICKS = 5;

/**
 * The worker's 20 ms clock. Tick n is due `n * 20 ms` after the start on the monotonic clock, so that late wake-ups
 * never add up; a timer only decides when we look. Timers count whole milliseconds, so the timer is set to come a
 * little early and the thread sleeps the rest, below two milliseconds, to the point: packets can wait that long.
 */
export class TickClock {
  readonly #stats: EngineStats;
  readonly #onTick: (tick: number) => void;
  readonly #wake = (): void => this.#run();
  /** Nobody ever wakes this word: waiting on it is sleeping. */
  readonly #sleepWord = new Int32Array(new SharedArrayBuffer(4));
  #originMs = 0;
  #ticksDone = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(stats: EngineStats, onTick: (tick: number) => void) {
    this.#stats = stats;
    this.#onTick = onTick;
  }

  start(): void {
    this.#originMs = performance.now();
    this.#ticksDone = 0;
    this.#timer = setTimeout(this.#wake, FRAME_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #run(): void {
    this.#sleepUntilDue();
    const wokeMs = performance.now();
    this.#runDueTicks(wokeMs);
    const doneMs = performance.now();
    this.#stats.add('busy_ms', doneMs - wokeMs);
    this.#timer = setTimeout(this.#wake, Math.max(1, Math.floor(this.#nextDueMs() - doneMs)));
  }

  #sleepUntilDue(): void {
    const earlyMs = this.#nextDueMs() - performance.now();
    if (earlyMs > 0) Atomics.wait(this.#sleepWord, 0, 0, earlyMs);
  }

  #nextDueMs(): number {
    return this.#originMs + (this.#ticksDone + 1) * FRAME_MS;
  }

  #runDueTicks(nowMs: number): void {
    const ticksDue = Math.floor((nowMs - this.#originMs) / FRAME_MS);
    const skipped = ticksDue - this.#ticksDone - MAX_CATCH_UP_TICKS;
    if (skipped > 0) {
      this.#ticksDone += skipped;
      this.#stats.add('skipped_ticks', skipped);
    }
    while (this.#ticksDone < ticksDue) {
      this.#ticksDone++;
      this.#stats.recordLateness(nowMs - this.#originMs - this.#ticksDone * FRAME_MS);
      this.#onTick(this.#ticksDone);
      this.#stats.add('ticks', 1);
      this.#stats.beat();
    }
  }
}
