import type { ReleasePlace } from '../../base/fair-share.ts';
import type { LocalPlaces, LocalWork } from '../local/local-places.ts';
import type { PlaceSignal } from './speech-protocol.ts';

/** The places of one call at the engines of `local`: the main thread, which knows all calls, is asked for each. */
export class AskedPlaces implements LocalPlaces {
  readonly #tell: (signal: PlaceSignal) => void;
  readonly #asked = new Map<number, (isFree: boolean) => void>();
  #lastId = 0;

  constructor(tell: (signal: PlaceSignal) => void) {
    this.#tell = tell;
  }

  async take(work: LocalWork): Promise<ReleasePlace | null> {
    const placeId = ++this.#lastId;
    const { promise: answered, resolve } = Promise.withResolvers<boolean>();
    this.#asked.set(placeId, resolve);
    this.#tell({ type: 'place_wanted', placeId, work });
    return (await answered) ? () => this.#tell({ type: 'place_left', placeId }) : null;
  }

  /** The main thread answers within its wait limit. */
  answer(placeId: number, isFree: boolean): void {
    this.#asked.get(placeId)?.(isFree);
    this.#asked.delete(placeId);
  }
}
