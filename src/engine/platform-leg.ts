import type { MediaLeg } from '../connectors/contract/media-leg.ts';
import type { EngineStats } from '../threads/engine-stats.ts';
import type { Party } from './mixer.ts';

/** The platform's side of a call as a party of the room. */
export class PlatformLegParty implements Party {
  readonly #leg: MediaLeg;
  readonly #stats: EngineStats;
  #received = 0;
  #sent = 0;
  #lost = 0;
  #late = 0;
  #concealed = 0;
  #dropped = 0;
  #unsent = 0;
  #overflowed = 0;

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
    const { packetsReceived, packetsSent, lost, late, concealed, droppedForDepth, unsent, overflowed } =
      this.#leg.counters;
    this.#stats.add('packets_received', packetsReceived - this.#received);
    this.#stats.add('packets_sent', packetsSent - this.#sent);
    this.#stats.add('packets_lost', lost - this.#lost);
    this.#stats.add('packets_late', late - this.#late);
    this.#stats.add('frames_concealed', concealed - this.#concealed);
    this.#stats.add('packets_dropped', droppedForDepth - this.#dropped);
    this.#stats.add('packets_unsent', unsent - this.#unsent);
    this.#stats.add('packets_overflowed', overflowed - this.#overflowed);
    this.#received = packetsReceived;
    this.#sent = packetsSent;
    this.#lost = lost;
    this.#late = late;
    this.#concealed = concealed;
    this.#dropped = droppedForDepth;
    this.#unsent = unsent;
    this.#overflowed = overflowed;
  }
}
