/** Requests answered in one turn of the event loop: about 5 ms of work. */
const MAX_REQUESTS_A_TURN = 512;
/** Approximate total length of the bodies sent in one turn: copying them takes about as long. */
const MAX_LENGTH_A_TURN = 8 * 1_048_576;
/** Answers without a body per minute that may keep their connection open. */
const MAX_UNSEEN_A_MINUTE = 120;
const MINUTE_MS = 60_000;
/** Bodies up to this length may be passed to the library unchecked, */
const SMALL_LENGTH = 2_048;
/** but a random one in 16 is offered first, so that a connection that is not read is soon detected. */
const OFFERED_ONE_IN = 16;

/**
 * Limits the work of one event loop turn. The library serves everything received in one piece, up to 512 KB or 28,000
 * requests, before anything else runs. Answers beyond the limit are deferred to the next turn. Only a client that has
 * sent another request on the same connection notices: the library closes that connection.
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

  /** Counts one request. Call it once per request. */
  count(): void {
    if (this.#requests === 0) setImmediate(this.#begin);
    this.#requests += 1;
  }

  /** Adds the length of an answer's body. */
  spend(length: number): void {
    this.#length += length;
  }

  get isExceeded(): boolean {
    return this.#requests > MAX_REQUESTS_A_TURN || this.#length > MAX_LENGTH_A_TURN;
  }

  /**
   * Whether a body may be sent without asking if the network accepts it. Asking takes a tenth of the time of a small
   * request.
   */
  mayEndUnasked(body: string | Uint8Array): boolean {
    return body.length <= SMALL_LENGTH && Math.random() * OFFERED_ONE_IN >= 1;
  }

  /**
   * Whether an answer without a body may keep its connection open. Only a body can be offered to the network, so
   * without one there is no way to see whether the client reads. Too many such answers could pile up on a connection
   * that is never read.
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
