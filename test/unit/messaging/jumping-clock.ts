import { isoAfter } from '../../../src/base/time.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** A clock that a test turns, and whose calendar somebody may set wrong. */
export class JumpingClock extends ManualClock {
  #aheadMs = 0;

  override nowIso(): string {
    return isoAfter(super.nowIso(), this.#aheadMs);
  }

  /** What everybody else's calendar shows. */
  trueIso(): string {
    return super.nowIso();
  }

  /** Moves the calendar, forward or back; timers do not notice. */
  jump(durationMs: number): void {
    this.#aheadMs += durationMs;
  }
}
