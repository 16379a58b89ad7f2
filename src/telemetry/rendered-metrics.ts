/** Limited because `/metrics` is public and rendering takes some milliseconds of the main thread. */
const MAX_RENDERINGS_A_SECOND = 20;
const SECOND_MS = 1_000;

/**
 * Renders the metrics as text. Requests in the same turn of the event loop share one rendering. Above the rate limit
 * the last rendering is returned, at most a second old.
 */
export class RenderedMetrics {
  readonly #render: () => Promise<string>;
  #latest: Promise<string> | null = null;
  #isOfThisTurn = false;
  #second = 0;
  #renderings = 0;

  constructor(render: () => Promise<string>) {
    this.#render = render;
  }

  text(): Promise<string> {
    if (this.#latest !== null && (this.#isOfThisTurn || !this.#mayRender())) return this.#latest;
    this.#renderings += 1;
    this.#isOfThisTurn = true;
    setImmediate(() => {
      this.#isOfThisTurn = false;
    });
    this.#latest = this.#render();
    return this.#latest;
  }

  #mayRender(): boolean {
    const second = Math.floor(performance.now() / SECOND_MS);
    if (second !== this.#second) {
      this.#second = second;
      this.#renderings = 0;
    }
    return this.#renderings < MAX_RENDERINGS_A_SECOND;
  }
}
