/** Interval at which the thread looks how busy it is. */
export const LOOK_MS = 100;
/** Share of a core that the engine thread may use before ordinary threads. The main thread needs the rest. */
const MOST_OF_CORE = 0.7;
/** CPU time without a rest. It lasts for what is caught up after a delay, and a busy main thread can wait as long. */
const BUDGET_MS = 10;
/** Looks in a row that have to find the thread below that share. */
const CALM_LOOKS = 10;

/**
 * Lets the engine thread run before all ordinary threads, for as long as it comes to rest again soon. An ordinary thread
 * that has run slightly more than its share waits, at its wake-up or in the middle of a tick, until the kernel's next timer
 * tick: up to 4 ms behind a thread that spins. An engine without a rest, because it has too many calls or polls for a
 * thread of V8 that it keeps from running, would starve the main thread that way, so it becomes ordinary then until a
 * later look.
 */
export class Precedence {
  readonly #precede: (cpuMs: number) => void;
  #cpuMs = 0;
  #atMs = 0;
  #calmLooks = 0;

  constructor(precede: (cpuMs: number) => void) {
    this.#precede = precede;
  }

  /** Takes the thread's CPU time so far. */
  look(cpuMs: number, nowMs: number): void {
    const isBusy = cpuMs - this.#cpuMs > MOST_OF_CORE * (nowMs - this.#atMs);
    this.#cpuMs = cpuMs;
    this.#atMs = nowMs;
    this.#calmLooks = isBusy ? 0 : this.#calmLooks + 1;
    if (this.#calmLooks >= CALM_LOOKS) this.#precede(BUDGET_MS);
  }
}
