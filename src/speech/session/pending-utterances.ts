import { GatewayError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';

/** Limits per call. */
const MAX_UTTERANCES = 32;
const MAX_CHARACTERS = 20_000;

/** The texts of a call that are not over. */
export class PendingUtterances {
  /** Characters by id, in the order of `say`. */
  readonly #characters = new Map<string, number>();
  #total = 0;

  get ids(): readonly string[] {
    return [...this.#characters.keys()];
  }

  get isEmpty(): boolean {
    return this.#characters.size === 0;
  }

  /** Adds a text and returns its id. @throws GatewayError `too_much_speech` */
  add(text: string): string {
    if (this.#characters.size >= MAX_UTTERANCES || this.#total + text.length > MAX_CHARACTERS)
      throw new GatewayError('too_much_speech');
    const utteranceId = newId('utt');
    this.#characters.set(utteranceId, text.length);
    this.#total += text.length;
    return utteranceId;
  }

  /** Returns false when it was over already. */
  settle(utteranceId: string): boolean {
    this.#total -= this.#characters.get(utteranceId) ?? 0;
    return this.#characters.delete(utteranceId);
  }
}
