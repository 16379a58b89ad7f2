import { type Address, keyOfLogin } from '../../base/address.ts';
import { LimitedMap } from '../../base/limited-map.ts';

/** Of one platform. */
const MOST = 5_000;

/** What a message says by now. `text` null: it was deleted. */
export interface Edit {
  readonly text: string | null;
}

/** Edits and deletions that came before their message: platforms deliver in any order, and repeat what was not acknowledged. */
export class EarlyEdits {
  readonly #edits = new LimitedMap<Edit>(MOST);

  note(from: Address, platformMessageId: string, text: string | null): void {
    this.#edits.set(keyOf(from, platformMessageId), { text });
  }

  /** Undefined: it was not edited. */
  find(from: Address, platformMessageId: string): Edit | undefined {
    return this.#edits.get(keyOf(from, platformMessageId));
  }
}

/** Some platforms do not tell the thread of a message that was deleted. */
function keyOf({ login, space }: Address, platformMessageId: string): string {
  return JSON.stringify([keyOfLogin(login), space.kind, space.id, platformMessageId]);
}
