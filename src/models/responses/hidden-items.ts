import type { Item, ResponseEvent } from './response-schema.ts';

type Place = Pick<ResponseEvent, 'item_id' | 'output_index'>;

/**
 * Items whose text does not count, by id and by place. Copies of the API give an item another id in each event, or the
 * place of another item; whatever is announced last under an id or a place has it.
 */
export class HiddenItems {
  readonly #ids = new Set<string>();
  /** Whether the item at a place is a message, such as commentary. No other item has deltas of text. */
  readonly #places = new Map<number, boolean>();

  add({ id, type }: Item, { output_index }: Place): void {
    if (id) this.#ids.add(id);
    if (output_index !== undefined) this.#places.set(output_index, type === undefined || type === 'message');
  }

  delete({ id }: Item, { output_index }: Place): void {
    this.#ids.delete(id ?? '');
    this.#places.delete(output_index ?? -1);
  }

  /** Whether a delta of text belongs to a hidden item. */
  hasDelta({ item_id, output_index }: Place): boolean {
    return this.#ids.has(item_id ?? '') || this.#places.get(output_index ?? -1) === true;
  }

  /** Whether a part that begins or ends belongs to a hidden item. */
  hasPart({ item_id, output_index }: Place): boolean {
    return this.#ids.has(item_id ?? '') || this.#places.has(output_index ?? -1);
  }
}
