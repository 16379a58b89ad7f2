import type { MediaLeg } from '../connectors/contract/media-leg.ts';
import type { EngineStats } from '../threads/engine-stats.ts';
import type { Party } from './mixer.ts';

/** The platform's side of a call as a party of its room. */
export class PlatformLegParty implements Party {
  readonly #leg: MediaLeg;
  readonly #stats: EngineStats;

  constructor(leg: MediaLeg, stats: EngineStats) {
    this.#leg = leg;
    this.#stats = stats;
  }

  pull(frame: Int16Array): boolean {
    const voiced = this.#leg.pull(frame);
    if (voiced) this.#stats.add('frames_in', 1);
    return voiced;
  }

  push(frame: Int16Array, voiced: boolean): void {
    this.#leg.push(frame, voiced);
    if (voiced) this.#stats.add('frames_out', 1);
  }
}
