/** Exponential backoff with up to 20% random reduction, so that many bots do not reconnect at once. */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #failures = 0;

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
  }

  next(): number {
    const fullMs = Math.min(this.#longestMs, this.#firstMs * 2 ** this.#failures);
    this.#failures += 1;
    return fullMs * (1 - Math.random() / 5);
  }

  reset(): void {
    this.#failures = 0;
  }
}
