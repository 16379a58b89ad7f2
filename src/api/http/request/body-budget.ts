/** Of strangers' bodies that have come in part. What comes whole, as a small body does, needs no room. */
const STRANGERS_BYTES = 32 * 1_048_576;

/** Room for bodies that are still coming: whoever sends slowly on many connections fills no more than this. */
export class BodyBudget {
  #leftBytes = STRANGERS_BYTES;

  /** False: there is no room for so much. */
  take(bytes: number): boolean {
    if (bytes > this.#leftBytes) return false;
    this.#leftBytes -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#leftBytes += bytes;
  }
}
