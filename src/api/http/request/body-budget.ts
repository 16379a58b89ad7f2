/** Limit on partially received bodies of public routes. Bodies that arrive whole, as small ones do, do not count. */
const STRANGERS_BYTES = 32 * 1_048_576;

/** Memory for bodies still being received. Limits what slow senders on many connections can occupy. */
export class BodyBudget {
  #leftBytes = STRANGERS_BYTES;

  /** Reserves memory. Returns false if there is not enough left. */
  take(bytes: number): boolean {
    if (bytes > this.#leftBytes) return false;
    this.#leftBytes -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#leftBytes += bytes;
  }
}
