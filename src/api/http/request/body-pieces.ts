/** Pieces of a body that may come at once, */
const AT_ONCE = 1_000;
/** and more if they bring as much each. */
const BYTES_PER_PIECE = 64;

let turn = 0;
let isTurnWatched = false;

function endTurn(): void {
  turn += 1;
  isTurnWatched = false;
}

/**
 * Counts the pieces in which a request's body comes in one turn of the event loop. A library hands over every chunk by
 * itself, and all that has arrived, or arrives meanwhile, in the same turn: three million chunks of one byte would hold
 * the main thread up for seconds.
 */
export class BodyPieces {
  #turn = turn;
  #left = AT_ONCE;

  /** Returns false if there are too many for what they bring. */
  take(bytes: number): boolean {
    if (!isTurnWatched) setImmediate(endTurn);
    isTurnWatched = true;
    if (this.#turn !== turn) this.#left = AT_ONCE;
    this.#turn = turn;
    this.#left += bytes / BYTES_PER_PIECE - 1;
    return this.#left >= 0;
  }
}
