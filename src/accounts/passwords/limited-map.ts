/**
 * A map by text that keeps at least the half of `most` entries that were set last, and never more than `most`. It forgets
 * by generations: taking the oldest entry out of a Map, again and again, passes over all that were taken out before.
 */
export class LimitedMap<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  readonly #generation: number;

  constructor(most: number) {
    this.#generation = Math.ceil(most / 2);
  }

  get(key: string): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= this.#generation && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
