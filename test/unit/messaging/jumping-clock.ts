import { isoAfter } from '../../../src/base/time.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** A clock that a test advances, and whose wall time can be set wrong. */
export class JumpingClock extends ManualClock {
  #aheadMs = 0;

  override nowIso(): string {
    return isoAfter(super.nowIso(), this.#aheadMs);
  }

  /** The correct wall time. */
  trueIso(): string {
    return super.nowIso();
  }

  /** Moves the wall time, forward or back; timers are not affected. */
  jump(durationMs: number): void {
    this.#aheadMs += durationMs;
  }
}
