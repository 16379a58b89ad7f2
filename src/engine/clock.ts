import { FRAME_MS, SLOT_MS, SLOTS } from '../base/frame.ts';
import type { EngineStats } from '../threads/engine-stats.ts';

/** Ticks of a slot that are caught up after a delay. Any further ticks are skipped and counted. */
const MAX_CATCH_UP_TICKS = 5;
/** Spacing between catch-up ticks. The sources that feed them were delayed as well and need time to refill. */
const CATCH_UP_SPACING_MS = 4;
/** Timers have millisecond resolution and cost a wake-up besides; shorter waits use `sleep`. */
const SHORTEST_TIMER_MS = 2;

/** The work that the clock drives. */
export interface Ticking {
  /** Whether anything ticks in this slot, 0 to 19. */
  isOccupied(slot: number): boolean;
  tick(slot: number): void;
  /** Sleeps precisely for this long, or until the thread's event loop has work. */
  sleep(milliseconds: number): void;
}

/**
 * The worker's clock: every occupied slot ticks once per 20 ms. The slots are 1 ms apart, so the results of one tick do
 * not have to wait for all calls of the thread. Slot k of frame n is due `n * 20 + k` ms after the origin on the
 * monotonic clock, so late wake-ups never accumulate. The event loop runs once between two ticks. The clock stops while
 * no slot is occupied.
 */
export class TickClock {
  running = false;
  readonly #stats: EngineStats;
  readonly #ticking: Ticking;
  readonly #originMs = performance.now();
  readonly #onTimer = (): void => this.#lookFirst();
  readonly #run = (): void => this.#runNext();
  /** Time of each slot's last tick. */
  readonly #tickedAtMs = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY);
  /** Slots since the origin that have had their turn. The next one is this slot or a later one. */
  #slotsDone = 0;
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;

  constructor(stats: EngineStats, ticking: Ticking) {
    this.#stats = stats;
    this.#ticking = ticking;
  }

  /** Starts the clock. Call it when a slot has become occupied. */
  wake(): void {
    if (this.running) return;
    this.running = true;
    this.#slotsDone = Math.ceil((performance.now() - this.#originMs) / SLOT_MS);
    this.#await();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#immediate !== null) clearImmediate(this.#immediate);
    this.#timer = null;
    this.#immediate = null;
    this.running = false;
  }

  /** Polls the sockets before the tick: in the event loop, timers run before I/O. */
  #lookFirst(): void {
    this.#immediate = setImmediate(this.#run);
  }

  #runNext(): void {
    if (!this.#skipWhatIsEmpty()) return this.stop();
    this.#skipWhatIsTooLate(performance.now());
    const earlyMs = this.#startMs() - performance.now();
    if (earlyMs > 0 && earlyMs < SHORTEST_TIMER_MS) this.#ticking.sleep(earlyMs);
    const beganMs = performance.now();
    if (this.#startMs() <= beganMs) this.#tick(beganMs);
    this.#await();
  }

  /** Schedules the next run for when the next tick is due, or less than a millisecond earlier. */
  #await(): void {
    if (!this.#skipWhatIsEmpty()) return this.stop();
    const waitMs = Math.floor(this.#startMs() - performance.now());
    if (waitMs < SHORTEST_TIMER_MS) this.#lookFirst();
    else this.#timer = setTimeout(this.#onTimer, waitMs);
  }

  #dueMs(): number {
    return this.#originMs + this.#slotsDone * SLOT_MS;
  }

  /** Earliest start of the next tick. */
  #startMs(): number {
    const lastMs = this.#tickedAtMs[this.#slotsDone % SLOTS] as number;
    return Math.max(this.#dueMs(), lastMs + CATCH_UP_SPACING_MS);
  }

  /** Advances to the next occupied slot. Returns false when no slot is occupied. */
  #skipWhatIsEmpty(): boolean {
    for (let skipped = 0; skipped < SLOTS; skipped++) {
      if (this.#ticking.isOccupied(this.#slotsDone % SLOTS)) return true;
      this.#slotsDone++;
    }
    return false;
  }

  #skipWhatIsTooLate(nowMs: number): void {
    const ticksDue = Math.floor((nowMs - this.#dueMs()) / FRAME_MS) + 1;
    const skipped = ticksDue - MAX_CATCH_UP_TICKS;
    if (skipped <= 0) return;
    this.#slotsDone += skipped * SLOTS;
    let occupied = 0;
    for (let slot = 0; slot < SLOTS; slot++) if (this.#ticking.isOccupied(slot)) occupied++;
    this.#stats.add('skipped_ticks', skipped * occupied);
  }

  #tick(nowMs: number): void {
    const slot = this.#slotsDone % SLOTS;
    this.#stats.recordLateness(nowMs - this.#dueMs());
    this.#tickedAtMs[slot] = nowMs;
    this.#slotsDone++;
    this.#ticking.tick(slot);
    this.#stats.add('ticks', 1);
    this.#stats.add('busy_ms', performance.now() - nowMs);
    this.#stats.beat();
  }
}
