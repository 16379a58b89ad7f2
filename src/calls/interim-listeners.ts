import type { RecognizedLine } from '../base/speech.ts';

/** Receives what is understood so far of what somebody is saying. Must not throw. */
type InterimListener = (line: RecognizedLine) => void;

/** Those on one call who want interim results of speech recognition. They come only while somebody wants them. */
export class InterimListeners {
  readonly #listeners = new Set<InterimListener>();
  #watch: (isWanted: boolean) => void = () => {};

  get isWanted(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls `listener` until the returned function is called. */
  add(listener: InterimListener): () => void {
    // A new function each time, so that the same listener can be added twice.
    const entry: InterimListener = (line) => listener(line);
    this.#change(() => this.#listeners.add(entry));
    return () => this.#change(() => this.#listeners.delete(entry));
  }

  tell(line: RecognizedLine): void {
    for (const listener of this.#listeners) listener(line);
  }

  /** Calls `watch` whenever it changes whether somebody wants interim results. Replaces a former one. */
  watch(watch: (isWanted: boolean) => void): void {
    this.#watch = watch;
  }

  #change(action: () => void): void {
    const before = this.isWanted;
    action();
    if (this.isWanted !== before) this.#watch(this.isWanted);
  }
}
