import { FRAME_MS } from '../base/frame.ts';
import type { EngineStats } from '../threads/engine-stats.ts';

/** Ticks that are made up for after a delay; what is beyond is skipped and counted. */
const MAX_CATCH_UP_TICKS = 5;

/**
 * The worker's 20 ms clock. Tick n is due `n * 20 ms` after the start on the monotonic clock, so that late wake-ups
 * never add up; a timer only decides when we look.
 */
export class TickClock {
  readonly #stats: EngineStats;
  readonly #onTick: (tick: number) => void;
  readonly #wake = (): void => this.#run();
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
    const wokeMs = performance.now();
    this.#runDueTicks(wokeMs);
    const doneMs = performance.now();
    this.#stats.add('busy_ms', doneMs - wokeMs);
    const nextMs = this.#originMs + (this.#ticksDone + 1) * FRAME_MS;
    this.#timer = setTimeout(this.#wake, Math.max(1, Math.ceil(nextMs - doneMs)));
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
