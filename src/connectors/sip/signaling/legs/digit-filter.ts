import type { Clock } from '../../../../base/time.ts';

/** The same digit received both ways within this time is one key press. */
const SAME_PRESS_MS = 1_000;

/** Drops duplicates from peers that send each digit twice, as RFC 4733 events and as INFO. */
export class DigitFilter {
  readonly #clock: Clock;
  #last: { digit: string; way: 'rtp' | 'info'; atMs: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  passes(digit: string, way: 'rtp' | 'info'): boolean {
    const atMs = this.#clock.monotonicMs();
    const last = this.#last;
    const isEcho =
      last !== null && last.digit === digit && last.way !== way && atMs - last.atMs < SAME_PRESS_MS;
    // A duplicate uses up its key press, so the next press of the same key counts again.
    this.#last = isEcho ? null : { digit, way, atMs };
    return !isEcho;
  }
}
