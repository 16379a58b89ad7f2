const PLACES = 4;
/** What a lossy path may take out of a row of packets. */
const MAX_STEP = 3;
/** A row that pauses for longer begins anew. */
const MAX_PAUSE_MS = 1_000;

/** One source that would be the peer's; the objects are used again. */
class Candidate {
  rank = -1;
  atMs = 0;
  #host = '';
  #port = 0;
  #ssrc = 0;
  #sequenceNumber = 0;
  #count = 0;

  is(host: string, port: number): boolean {
    return port === this.#port && host === this.#host;
  }

  begin(host: string, port: number, rank: number): void {
    this.#host = host;
    this.#port = port;
    this.rank = rank;
    this.#count = 0;
  }

  /** Gives the length of the row. */
  advance(ssrc: number, sequenceNumber: number, nowMs: number): number {
    const step = (sequenceNumber - this.#sequenceNumber) & 0xffff;
    const isNext = this.#ssrc === ssrc && step >= 1 && step <= MAX_STEP && nowMs - this.atMs <= MAX_PAUSE_MS;
    this.#count = isNext && this.#count > 0 ? this.#count + 1 : 1;
    this.#ssrc = ssrc;
    this.#sequenceNumber = sequenceNumber;
    this.atMs = nowMs;
    return this.#count;
  }

  /** Whether it goes before the other one: the lower rank first, then the one that has been silent longer. */
  isWeakerThan(other: Candidate): boolean {
    return this.rank < other.rank || (this.rank === other.rank && this.atMs < other.atMs);
  }
}

/**
 * Sources that would be the peer's, and how many packets in a row each has sent. Others' packets in between do not
 * count against it, or anybody could keep the peer out by sending as well. There are few places, and a source of
 * higher rank takes that of a lower one.
 */
export class SourceCandidates {
  readonly #places = Array.from({ length: PLACES }, () => new Candidate());

  clear(): void {
    for (const place of this.#places) place.begin('', 0, -1);
  }

  /** The place of a source, taken from another one if need be. Null: all are taken by sources of higher rank. */
  placeOf(host: string, port: number, rank: number): Candidate | null {
    let weakest = this.#places[0]!;
    for (const place of this.#places) {
      if (place.is(host, port)) return place;
      if (place.isWeakerThan(weakest)) weakest = place;
    }
    if (weakest.rank > rank) return null;
    weakest.begin(host, port, rank);
    return weakest;
  }
}
