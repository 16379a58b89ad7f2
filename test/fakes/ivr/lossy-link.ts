import { SeededRandom } from '../../support/seeded-random.ts';

/** What a network does to packets. */
export interface Network {
  /** Share of packets that are lost, 0 to 1. */
  readonly lossShare: number;
  /** Each packet is late by up to so much, so that they overtake each other. */
  readonly jitterMs: number;
  readonly seed: number;
}

/** One direction of a bad network. */
export class LossyLink {
  readonly #network: Network;
  readonly #random: SeededRandom;

  constructor(network: Network, seed: number) {
    this.#network = network;
    this.#random = new SeededRandom(network.seed ^ seed);
  }

  /** Delivers a packet late, or never. */
  carry(deliver: () => void): void {
    const { lossShare, jitterMs } = this.#network;
    if (this.#random.chance(lossShare)) return;
    const lateMs = this.#random.next() * jitterMs;
    if (lateMs < 1) deliver();
    else setTimeout(deliver, lateMs);
  }
}
