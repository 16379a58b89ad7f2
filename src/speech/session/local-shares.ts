import { availableParallelism } from 'node:os';
import { FairShare, type ReleasePlace } from '../../base/fair-share.ts';
import type { Clock } from '../../base/time.ts';
import type { LocalWork } from '../local/local-places.ts';
import type { PlaceSignal } from '../transport/speech-protocol.ts';

/** Each recognizer is a process of about 100 MB that takes a tenth of a core while somebody speaks. */
const MOST_RECOGNIZERS = Math.max(8, 4 * availableParallelism());
/** As many pieces as a bridge thread has threads for jobs. */
const MOST_SYNTHESES = Math.max(1, Math.min(2, availableParallelism() - 1));
/** A piece takes about 0.1 s, so that the last one waits for some seconds at worst. */
const MOST_WAITING = 64;
/** What is said meanwhile is kept and heard, or spoken, then. */
const WAIT_MS: Readonly<Record<LocalWork, number>> = { recognition: 3_000, synthesis: 5_000 };

/** What the engines of `local` can do at a time, on all bridge threads. Accounts share it. */
export type LocalShares = Readonly<Record<LocalWork, FairShare>>;

export function newLocalShares(clock: Clock): LocalShares {
  const [voices, texts] = [MOST_RECOGNIZERS, MOST_SYNTHESES];
  return {
    // Somebody listens as long as a call lasts.
    recognition: new FairShare({
      clock,
      total: voices,
      each: voices,
      keepsRoom: true,
      mostWaiting: MOST_WAITING,
    }),
    synthesis: new FairShare({ clock, total: texts, each: texts, mostWaiting: MOST_WAITING }),
  };
}

/** The places that one transport of a call's speech has at the engines of `local`. */
export class CallPlaces {
  readonly #shares: LocalShares;
  readonly #accountId: string;
  readonly #answer: (placeId: number, isFree: boolean) => void;
  readonly #held = new Map<number, ReleasePlace>();
  #isOver = false;

  /** `answer` tells the transport whether it has a place. */
  constructor(shares: LocalShares, accountId: string, answer: (placeId: number, isFree: boolean) => void) {
    this.#shares = shares;
    this.#accountId = accountId;
    this.#answer = answer;
  }

  received(signal: PlaceSignal): void {
    if (signal.type === 'place_wanted') void this.#take(signal.placeId, signal.work);
    else this.#leave(signal.placeId);
  }

  /** The transport is gone. */
  end(): void {
    this.#isOver = true;
    for (const placeId of this.#held.keys()) this.#leave(placeId);
  }

  async #take(placeId: number, work: LocalWork): Promise<void> {
    const release = await this.#shares[work].take(this.#accountId, WAIT_MS[work]);
    if (this.#isOver) return release?.();
    if (release !== null) this.#held.set(placeId, release);
    this.#answer(placeId, release !== null);
  }

  #leave(placeId: number): void {
    this.#held.get(placeId)?.();
    this.#held.delete(placeId);
  }
}
