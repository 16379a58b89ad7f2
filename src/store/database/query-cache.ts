import type { Store } from '../store.ts';

/** Answers kept at a time; beyond that all are forgotten, which costs one reading each. */
const MAX_ANSWERS = 1_000;

/**
 * Answers of the database to what is asked often, until any row of it changes. Asking whether one has takes
 * two microseconds, one query thirty or more.
 */
export class QueryCache<Answer> {
  readonly #store: Pick<Store, 'version'>;
  readonly #answers = new Map<string, Answer | Promise<Answer>>();
  #version = '';

  constructor(store: Pick<Store, 'version'>) {
    this.#store = store;
  }

  /**
   * What `read` has found since the last change, when it was asked under the same key, and at once; else what it finds
   * now.
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
      // A failure says nothing of the next try.
      () => isAwaited() && this.#answers.delete(key),
    );
    return reading;
  }
}
