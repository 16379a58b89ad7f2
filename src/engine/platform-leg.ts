import type { MediaCounters, MediaLeg } from '../connectors/contract/media-leg.ts';
import type { EngineCounter, EngineStats } from '../threads/engine-stats.ts';
import type { Party } from './mixer.ts';

/** The worker's counter for each counter of a leg. */
const COUNTERS = Object.entries({
  packetsReceived: 'packets_received',
  packetsSent: 'packets_sent',
  lost: 'packets_lost',
  late: 'packets_late',
  concealed: 'frames_concealed',
  droppedForDepth: 'packets_dropped',
  unsent: 'packets_unsent',
  overflowed: 'packets_overflowed',
} satisfies Record<keyof MediaCounters, EngineCounter>) as [keyof MediaCounters, EngineCounter][];

/** The platform's side of a call as a party of the room. */
export class PlatformLegParty implements Party {
  readonly #leg: MediaLeg;
  readonly #stats: EngineStats;
  /** The leg's counters as last added to the statistics. */
  readonly #collected = COUNTERS.map(() => 0);

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

  /** Adds the leg's counters since the last call to the worker's statistics. */
  collectCounters(): void {
    const { counters } = this.#leg;
    COUNTERS.forEach(([counter, name], i) => {
      const total = counters[counter];
      this.#stats.add(name, total - (this.#collected[i] as number));
      this.#collected[i] = total;
    });
  }
}
