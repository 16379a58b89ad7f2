/** A call or transport that loses its thread more often than this in a minute may be the cause, so it ends. */
const MAX_MOVES_A_MINUTE = 3;
const MINUTE_MS = 60_000;

/** Counts how often a call or transport has lost its thread. */
export class MoveLimit {
  #movedAtMs: number[] = [];

  /** Records a move. Returns false when there have been too many. */
  note(): boolean {
    const nowMs = performance.now();
    this.#movedAtMs = this.#movedAtMs.filter((atMs) => nowMs - atMs < MINUTE_MS);
    this.#movedAtMs.push(nowMs);
    return this.#movedAtMs.length <= MAX_MOVES_A_MINUTE;
  }

  /** Whether there have been too many. */
  get isReached(): boolean {
    const nowMs = performance.now();
    return this.#movedAtMs.filter((atMs) => nowMs - atMs < MINUTE_MS).length > MAX_MOVES_A_MINUTE;
  }
}
