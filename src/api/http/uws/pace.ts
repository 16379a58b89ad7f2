/** Requests that are answered in one turn of the event loop: some 5 ms of them. */
const MAX_REQUESTS_A_TURN = 512;
/** Length of the bodies that are sent in one turn, about: copying them takes as long. */
const MAX_LENGTH_A_TURN = 8 * 1_048_576;
/** Answers without a body in a minute after which the connection stays open. */
const MAX_UNSEEN_A_MINUTE = 120;
const MINUTE_MS = 60_000;
/** A body up to this long may go to the library as it is, */
const SMALL_LENGTH = 2_048;
/** but one in so many, by chance, is offered first, so that a connection that is not read is found out soon. */
const OFFERED_ONE_IN = 16;

/**
 * How much may be answered at once. The library serves everything that came in one piece, 512 KB at most, before
 * anything else has its turn: 28,000 requests. Answers beyond a number are left to the next turn, which nobody notices
 * but a client that has sent yet another request on the same connection: the library hangs up on it.
 */
export class Pace {
  #requests = 0;
  #length = 0;
  #unseen = 0;
  #minute = 0;
  readonly #begin = (): void => {
    this.#requests = 0;
    this.#length = 0;
  };

  /** Counts one request; once for each. */
  count(): void {
    if (this.#requests === 0) setImmediate(this.#begin);
    this.#requests += 1;
  }

  /** Counts the body of an answer. */
  spend(length: number): void {
    this.#length += length;
  }

  get isExceeded(): boolean {
    return this.#requests > MAX_REQUESTS_A_TURN || this.#length > MAX_LENGTH_A_TURN;
  }

  /** Whether a body may be sent without asking whether the network takes it, which takes a tenth of a small request. */
  mayEndUnasked(body: string | Uint8Array): boolean {
    return body.length <= SMALL_LENGTH && Math.random() * OFFERED_ONE_IN >= 1;
  }

  /**
   * Whether an answer without a body may leave its connection open. Nobody can see whether the client takes it: only a
   * body can be offered to the network. Too many of them could pile up on a connection that is never read.
   */
  mayEndUnseen(): boolean {
    const minute = Math.floor(performance.now() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#unseen = 0;
    }
    this.#unseen += 1;
    return this.#unseen <= MAX_UNSEEN_A_MINUTE;
  }
}
