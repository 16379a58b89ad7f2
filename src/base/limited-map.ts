/**
 * A string-keyed map that holds at most `most` entries and always keeps at least the `most / 2` that were set last. It
 * drops entries by generation, because removing the oldest entry of a Map again and again iterates over all entries
 * deleted before.
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
