import type { CancelTimer, Clock } from './time.ts';

/** Maximum delay of an action beyond its time. */
const SLOT_MS = 100;

/** Schedules thousands of actions with one timer. Actions run up to 100 ms late. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #slots = new Map<number, Set<() => void>>();
  #armedSlot = Number.POSITIVE_INFINITY;
  #cancelTimer: CancelTimer = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `action`, which must not throw, once after `delayMs`. Never keeps the process alive. */
  after(delayMs: number, action: () => void): CancelTimer {
    const slot = Math.ceil((this.#clock.monotonicMs() + delayMs) / SLOT_MS);
    // A new function per call, so that the same action can be scheduled twice.
    const entry = (): void => action();
    this.#slots.set(slot, (this.#slots.get(slot) ?? new Set()).add(entry));
    if (slot < this.#armedSlot) this.#arm(slot);
    return () => {
      const entries = this.#slots.get(slot);
      if (entries?.delete(entry) && entries.size === 0) this.#slots.delete(slot);
    };
  }

  #arm(slot: number): void {
    this.#cancelTimer();
    this.#armedSlot = slot;
    const delayMs = Math.max(0, slot * SLOT_MS - this.#clock.monotonicMs());
    this.#cancelTimer = this.#clock.after(delayMs, () => this.#run());
  }

  #run(): void {
    this.#armedSlot = Number.POSITIVE_INFINITY;
    const nowSlot = Math.floor(this.#clock.monotonicMs() / SLOT_MS);
    const due = [...this.#slots.keys()].filter((slot) => slot <= nowSlot).sort((a, b) => a - b);
    for (const slot of due) {
      const entries = this.#slots.get(slot) ?? [];
      this.#slots.delete(slot);
      for (const entry of entries) entry();
    }
    this.#armNext();
  }

  #armNext(): void {
    let next = this.#armedSlot;
    for (const slot of this.#slots.keys()) next = Math.min(next, slot);
    if (next < this.#armedSlot) this.#arm(next);
  }
}
