const PLACES = 4;
/** Largest step between sequence numbers within a row, to allow for loss. */
const MAX_STEP = 3;
/** A longer pause starts a new row. */
const MAX_PAUSE_MS = 1_000;

/** A source that may turn out to be the peer. Objects are reused. */
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

  /** Records a packet and returns the length of the row. */
  advance(ssrc: number, sequenceNumber: number, nowMs: number): number {
    const step = (sequenceNumber - this.#sequenceNumber) & 0xffff;
    const isNext = this.#ssrc === ssrc && step >= 1 && step <= MAX_STEP && nowMs - this.atMs <= MAX_PAUSE_MS;
    this.#count = isNext && this.#count > 0 ? this.#count + 1 : 1;
    this.#ssrc = ssrc;
    this.#sequenceNumber = sequenceNumber;
    this.atMs = nowMs;
    return this.#count;
  }

  /** Whether this candidate is replaced before the other one: lower rank first, then the longer silence. */
  isWeakerThan(other: Candidate): boolean {
    return this.rank < other.rank || (this.rank === other.rank && this.atMs < other.atMs);
  }
}

/**
 * Candidates for the peer's source and the number of packets each has sent in a row. Packets from other sources do not
 * interrupt a row; otherwise anyone could keep the peer out by sending as well. There are few places, and a source of
 * higher rank replaces one of lower rank.
 */
export class SourceCandidates {
  readonly #places = Array.from({ length: PLACES }, () => new Candidate());

  clear(): void {
    for (const place of this.#places) place.begin('', 0, -1);
  }

  /** Returns the place of a source, taking another's if necessary. Null when sources of higher rank hold all places. */
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
