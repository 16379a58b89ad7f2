/** Share of a core that the engine thread may use before ordinary threads. The main thread needs the rest. */
const MOST_OF_CORE = 0.7;
/** Looks in a row that have to find the thread below that. One look above it is enough for the opposite. */
const CALM_LOOKS = 10;

/**
 * Decides whether the engine thread runs before all ordinary threads. An ordinary thread that has run a little more than
 * its share waits, at its wake-up or in the middle of a tick, until the kernel's next timer tick: up to 4 ms behind a
 * thread that spins. An engine with too many calls would starve the main thread that way, so it then becomes ordinary.
 */
export class Precedence {
  readonly #precede: (on: boolean) => void;
  #cpuMs = 0;
  #atMs = 0;
  #calmLooks = 0;

  constructor(precede: (on: boolean) => void) {
    this.#precede = precede;
  }

  /** Takes the thread's CPU time so far. */
  look(cpuMs: number, nowMs: number): void {
    const isBusy = cpuMs - this.#cpuMs > MOST_OF_CORE * (nowMs - this.#atMs);
    this.#cpuMs = cpuMs;
    this.#atMs = nowMs;
    if (isBusy) this.#becomeOrdinary();
    else if (this.#calmLooks <= CALM_LOOKS && ++this.#calmLooks === CALM_LOOKS) this.#precede(true);
  }

  #becomeOrdinary(): void {
    if (this.#calmLooks >= CALM_LOOKS) this.#precede(false);
    this.#calmLooks = 0;
  }
}
