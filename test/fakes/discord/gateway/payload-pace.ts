const MAX_PAYLOADS = 120;
const WINDOW_MS = 60_000;

/** How much a connection may send, heartbeats included. */
export class PayloadPace {
  readonly #nowMs: () => number;
  readonly #receivedAtMs: number[] = [];

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Counts one; false: it is one too many. */
  admits(): boolean {
    const nowMs = this.#nowMs();
    this.#receivedAtMs.push(nowMs);
    while (this.#receivedAtMs[0]! <= nowMs - WINDOW_MS) this.#receivedAtMs.shift();
    return this.#receivedAtMs.length <= MAX_PAYLOADS;
  }
}
