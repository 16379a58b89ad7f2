/** Pieces of a body that may come at once, */
const AT_ONCE = 1_000;
/** and more if they bring as much each. */
const BYTES_PER_PIECE = 64;
/** Pieces that bring less and come in one turn over all connections. Beyond, each connection may send a few more. */
const AT_ONCE_IN_ALL = 3_000;
const FEW = 50;

let turn = 0;
let isTurnWatched = false;
/** Of this turn. */
let small = 0;

function endTurn(): void {
  turn += 1;
  isTurnWatched = false;
  small = 0;
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
    const costs = 1 - bytes / BYTES_PER_PIECE;
    this.#left -= costs;
    small += Math.max(0, costs);
    return this.#left >= (small > AT_ONCE_IN_ALL ? AT_ONCE - FEW : 0);
  }
}
