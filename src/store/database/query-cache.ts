import type { Store } from '../store.ts';

/** Maximum number of cached answers. Beyond it all are dropped, which costs one query each. */
const MAX_ANSWERS = 1_000;

/**
 * Caches answers to frequent queries until any row of the database changes. Checking for a change takes two
 * microseconds, a query thirty or more.
 */
export class QueryCache<Answer> {
  readonly #store: Pick<Store, 'version'>;
  readonly #answers = new Map<string, Answer | Promise<Answer>>();
  #version = '';

  constructor(store: Pick<Store, 'version'>) {
    this.#store = store;
  }

  /**
   * Returns the answer cached under `key`, synchronously if it is known. Otherwise runs `read` and caches its answer.
   */
  of(key: string, read: () => Promise<Answer>): Answer | Promise<Answer> {
    const version = this.#store.version();
    if (version !== this.#version || this.#answers.size >= MAX_ANSWERS) this.#answers.clear();
    this.#version = version;
    if (this.#answers.has(key)) return this.#answers.get(key) as Answer | Promise<Answer>;
    const reading = read();
    this.#answers.set(key, reading);
    const isAwaited = (): boolean => this.#answers.get(key) === reading;
    reading.then(
      (answer) => isAwaited() && this.#answers.set(key, answer),
      // Failures are not cached.
      () => isAwaited() && this.#answers.delete(key),
    );
    return reading;
  }
}
