import type { Clock } from '../../../../base/time.ts';

/** The same digit received both ways within this time is one key press. */
const SAME_PRESS_MS = 1_200;
/** Presses that await their copy. More are not pressed in that time. */
const MAX_WAITING = 64;

type DigitWay = 'rtp' | 'info';

interface Press {
  readonly digit: string;
  readonly way: DigitWay;
  readonly atMs: number;
}

/** Drops duplicates from peers that send each digit in several ways, such as RFC 4733 events and INFO. */
export class DigitFilter {
  readonly #clock: Clock;
  /** Presses of the last second that have come one way only, oldest first. */
  #waiting: Press[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the digit is a press of its own. A duplicate uses up its press, so the next press of the same key counts again. */
  passes(digit: string, way: DigitWay): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#waiting = this.#waiting.filter(({ atMs }) => nowMs - atMs < SAME_PRESS_MS);
    const copied = this.#waiting.findIndex((press) => press.digit === digit && press.way !== way);
    if (copied >= 0) {
      this.#waiting.splice(copied, 1);
      return false;
    }
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push({ digit, way, atMs: nowMs });
    return true;
  }
}
