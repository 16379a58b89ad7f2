import { SeededRandom } from '../../../support/seeded-random.ts';

/** How bad one direction of the network is. */
export interface NetworkFaults {
  readonly seed: number;
  /** Shares of the datagrams, 0 to 1. */
  readonly loss?: number;
  readonly duplicates?: number;
  /** A datagram of this share waits until the next one has passed. */
  readonly reordering?: number;
  /** Each datagram waits for 0 to so long, so that they overtake each other as well. */
  readonly jitterMs?: number;
}

/** A held datagram goes at the latest after this, if no other follows. */
const LONGEST_HOLD_MS = 100;

/** One direction of a bad network. The seed decides what happens to the n-th datagram. */
export class FaultyPath {
  readonly #faults: NetworkFaults;
  readonly #random: SeededRandom;
  readonly #timers = new Set<NodeJS.Timeout>();
  #held: (() => void) | null = null;

  constructor(faults: NetworkFaults) {
    this.#faults = faults;
    this.#random = new SeededRandom(faults.seed);
  }

  /** Calls `deliver` once, twice or never, now or later. */
  pass(deliver: () => void): void {
    const { loss = 0, duplicates = 0, reordering = 0, jitterMs = 0 } = this.#faults;
    const isLost = this.#random.chance(loss);
    const isDouble = this.#random.chance(duplicates);
    const isHeld = this.#random.chance(reordering);
    const delayMs = this.#random.next() * jitterMs;
    if (isLost) return;
    if (isHeld && !this.#held) {
      this.#hold(deliver);
      return;
    }
    this.#later(deliver, delayMs);
    if (isDouble) this.#later(deliver, delayMs);
    this.#held?.();
  }

  /** Drops what still waits. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #hold(deliver: () => void): void {
    const release = () => {
      if (this.#held !== release) return;
      this.#held = null;
      this.#later(deliver, 0);
    };
    this.#held = release;
    this.#later(release, LONGEST_HOLD_MS);
  }

  #later(work: () => void, delayMs: number): void {
    if (delayMs < 1) {
      work();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, delayMs);
    this.#timers.add(timer);
  }
}
