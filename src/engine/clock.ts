import { FRAME_MS, SLOT_MS, SLOTS } from '../base/frame.ts';
import type { EngineStats } from '../threads/engine-stats.ts';

/** Ticks of a slot that are made up for after a delay; what is beyond is skipped and counted. */
const MAX_CATCH_UP_TICKS = 5;
/** Between the ticks of a catch-up: what feeds them was held up as well, and must not seem to have run dry. */
const CATCH_UP_SPACING_MS = 4;
/** Timers count whole milliseconds; for less the thread sleeps. */
const SHORTEST_TIMER_MS = 1;

/** What the clock drives. */
export interface Ticking {
  /** Whether anything has its tick in this slot, 0 to 19. */
  isOccupied(slot: number): boolean;
  tick(slot: number): void;
  /** Sleeps for so long, to the point; or less, when the thread's event loop has something to do. */
  sleep(milliseconds: number): void;
}

/**
 * The worker's clock: every 20 ms each occupied slot has its tick, the slots 1 ms apart, so that what one tick leaves
 * behind for others does not wait for all calls of the thread. Slot k of frame n is due `n * 20 + k` ms after the origin
 * on the monotonic clock; late wake-ups never add up. Between two ticks the event loop has a turn. While no slot is
 * occupied the clock stands.
 */
export class TickClock {
  readonly #stats: EngineStats;
  readonly #ticking: Ticking;
  readonly #originMs = performance.now();
  readonly #onTimer = (): void => this.#lookFirst();
  readonly #run = (): void => this.#runNext();
  /** When each slot had its last tick. */
  readonly #tickedAtMs = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY);
  /** Slots since the origin that have had their turn; the next to come is this one or a later one. */
  #slotsDone = 0;
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;
  #running = false;

  constructor(stats: EngineStats, ticking: Ticking) {
    this.#stats = stats;
    this.#ticking = ticking;
  }

  get running(): boolean {
    return this.#running;
  }

  /** To be called when a slot has become occupied. */
  wake(): void {
    if (this.#running) return;
    this.#running = true;
    this.#slotsDone = Math.ceil((performance.now() - this.#originMs) / SLOT_MS);
    this.#await();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#immediate !== null) clearImmediate(this.#immediate);
    this.#timer = null;
    this.#immediate = null;
    this.#running = false;
  }

  /** Timers come before sockets in the event loop: every tick waits for a look at what has arrived. */
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

  /** Comes back when the next tick is due, or less than a millisecond before. */
  #await(): void {
    if (!this.#skipWhatIsEmpty()) return this.stop();
    const waitMs = Math.floor(this.#startMs() - performance.now());
    if (waitMs < SHORTEST_TIMER_MS) this.#lookFirst();
    else this.#timer = setTimeout(this.#onTimer, waitMs);
  }

  #dueMs(): number {
    return this.#originMs + this.#slotsDone * SLOT_MS;
  }

  /** When the next tick may begin. */
  #startMs(): number {
    const lastMs = this.#tickedAtMs[this.#slotsDone % SLOTS] as number;
    return Math.max(this.#dueMs(), lastMs + CATCH_UP_SPACING_MS);
  }

  /** False: no slot is occupied. */
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
