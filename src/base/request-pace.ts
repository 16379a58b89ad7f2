import { FairShare, type ReleasePlace } from './fair-share.ts';
import { type Clock, pause } from './time.ts';

/** What a platform takes of a login. */
export interface Pace {
  /** Requests within `withinMs`. */
  readonly most: number;
  readonly withinMs: number;
}

/** A request that may be made now. One of the two is called afterwards. */
export interface Turn {
  answered(): void;
  unused(): void;
}

/** Waits in all. When there are more, whoever wants the most loses one. */
const MOST_WAITING = 10_000;

/**
 * Requests to a platform that takes so many within a time. Each counts until that time after its answer. The platform gets it
 * between the two, so whenever its periods begin, and however long requests are on their way, there are no more in any of them.
 * Those who wait take turns.
 */
export class RequestPace {
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #share: FairShare;
  readonly #closing = new AbortController();

  /** `reserve`: requests that the patient leave to others. */
  constructor(clock: Clock, pace: Pace, reserve = 0) {
    this.#clock = clock;
    this.#pace = pace;
    const { most } = pace;
    this.#share = new FairShare({ clock, total: most, each: most, mostWaiting: MOST_WAITING, reserve });
  }

  /** Requests that may be made now. */
  get free(): number {
    return this.#pace.most - this.#share.taken;
  }

  /** Aborts when the pace is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * Resolves with the leave to make a request, in turn. Null: not within `withinMs`, or too many wait, or `signal` has aborted.
   * `isPatient`: it waits as long as anybody waits who is not.
   */
  async turn(owner: string, withinMs: number, signal: AbortSignal, isPatient = false): Promise<Turn | null> {
    const release = await this.#share.take(owner, withinMs, signal, isPatient);
    return release && { answered: () => void this.#releaseLater(release), unused: release };
  }

  close(): void {
    this.#closing.abort();
  }

  async #releaseLater(release: ReleasePlace): Promise<void> {
    await pause(this.#clock, this.#pace.withinMs, this.closing);
    release();
  }
}
