import { type Address, keyOfLogin } from '../../base/address.ts';
import { LimitedMap } from '../../base/limited-map.ts';

/** Of one platform. */
const MOST = 5_000;

/** Edits and deletions that came before their message: platforms deliver in any order, and repeat what was not acknowledged. */
export class EarlyEdits {
  readonly #texts = new LimitedMap<string>(MOST);

  note(from: Address, platformMessageId: string, text: string): void {
    this.#texts.set(keyOf(from, platformMessageId), text);
  }

  /** Returns the text that a message has by now; null: it was not edited. */
  textOf(from: Address, platformMessageId: string): string | null {
    return this.#texts.get(keyOf(from, platformMessageId)) ?? null;
  }
}

/** Some platforms do not tell the thread of a message that was deleted. */
function keyOf({ login, space }: Address, platformMessageId: string): string {
  return JSON.stringify([keyOfLogin(login), space.kind, space.id, platformMessageId]);
}
