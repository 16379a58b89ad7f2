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
  /** The zero of the sender's clock, as the most punctual packet tells. */
  #startMs = Number.POSITIVE_INFINITY;

  constructor(network: Network, seed: number) {
    this.#network = network;
    this.#random = new SeededRandom(network.seed ^ seed);
  }

  /**
   * Delivers a packet late, or never. `mediaMs`: when it was sent by the sender's clock; `atMs`: when this process saw it. A
   * process that was held up sees many at once, and they must not overtake each other by more than on a real network; so
   * they are late from when they were sent, which `deliver` gets.
   */
  carry(mediaMs: number, atMs: number, deliver: (sentMs: number) => void): void {
    const { lossShare, jitterMs } = this.#network;
    this.#startMs = Math.min(this.#startMs, atMs - mediaMs);
    const sentMs = this.#startMs + mediaMs;
    if (this.#random.chance(lossShare)) return;
    const lateMs = sentMs + this.#random.next() * jitterMs - performance.now();
    if (lateMs < 1) deliver(sentMs);
    else setTimeout(deliver, lateMs, sentMs);
  }
}
