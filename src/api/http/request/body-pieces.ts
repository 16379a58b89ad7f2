/** Pieces in which any body may come. */
const ANY_BODY = 4_000;
/** Each further piece must bring as much on average. */
const BYTES_PER_PIECE = 64;

/**
 * Counts the pieces in which a request's body comes. A library hands over every chunk by itself, and everything that has
 * arrived before anything else runs: three million chunks of one byte would hold the main thread up for seconds.
 */
export class BodyPieces {
  #left = ANY_BODY;

  /** Returns false if there are too many for what they bring. */
  take(bytes: number): boolean {
    this.#left += bytes / BYTES_PER_PIECE - 1;
    return this.#left >= 0;
  }
}
