import { FRAME_MS } from '../base/frame.ts';
import type { EngineStats } from '../threads/engine-stats.ts';

/** Ticks that are made up for after a delay; what is beyond is skipped and counted. */
const MAX_CATCH_UP_TICKS = 5;
/** Later than this, packets and agents' audio that came in the meantime are taken in first. */
const LATE_MS = 4;
/** Between the ticks of a catch-up: what feeds them was held up as well, and must not seem to have run dry. */
const CATCH_UP_SPACING_MS = 4;

/**
 * The worker's 20 ms clock. Tick n is due `n * 20 ms` after the start on the monotonic clock, so that late wake-ups
 * never add up; a timer only decides when we look. Timers count whole milliseconds, so the timer is set to come a
 * little early and the thread sleeps the rest, below two milliseconds, to the point: packets can wait that long.
 */
export class TickClock {
  readonly #stats: EngineStats;
  readonly #onTick: (tick: number) => void;
  readonly #wake = (): void => this.#wakeUp();
  readonly #run = (): void => this.#runDueTick();
  /** Nobody ever wakes this word: waiting on it is sleeping. */
  readonly #sleepWord = new Int32Array(new SharedArrayBuffer(4));
  #originMs = 0;
  #ticksDone = 0;
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;

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
    if (this.#immediate !== null) clearImmediate(this.#immediate);
    this.#timer = null;
    this.#immediate = null;
  }

  /** Timers come before sockets in the event loop: a late tick waits for one look at what has arrived. */
  #wakeUp(): void {
    const earlyMs = this.#nextDueMs() - performance.now();
    if (earlyMs < -LATE_MS) {
      this.#immediate = setImmediate(this.#run);
      return;
    }
    if (earlyMs > 0) Atomics.wait(this.#sleepWord, 0, 0, earlyMs);
    this.#runDueTick();
  }

  #runDueTick(): void {
    const beganMs = performance.now();
    this.#skipWhatIsTooLate(beganMs);
    if (this.#nextDueMs() <= beganMs) this.#tick(beganMs);
    const doneMs = performance.now();
    this.#stats.add('busy_ms', doneMs - beganMs);
    const nextMs = Math.max(this.#nextDueMs(), beganMs + CATCH_UP_SPACING_MS);
    this.#timer = setTimeout(this.#wake, Math.max(1, Math.floor(nextMs - doneMs)));
  }

  #nextDueMs(): number {
    return this.#originMs + (this.#ticksDone + 1) * FRAME_MS;
  }

  #skipWhatIsTooLate(nowMs: number): void {
    const ticksDue = Math.floor((nowMs - this.#originMs) / FRAME_MS);
    const skipped = ticksDue - this.#ticksDone - MAX_CATCH_UP_TICKS;
    if (skipped <= 0) return;
    this.#ticksDone += skipped;
    this.#stats.add('skipped_ticks', skipped);
  }

  #tick(nowMs: number): void {
    this.#ticksDone++;
    this.#stats.recordLateness(nowMs - this.#originMs - this.#ticksDone * FRAME_MS);
    this.#onTick(this.#ticksDone);
    this.#stats.add('ticks', 1);
    this.#stats.beat();
  }
}
