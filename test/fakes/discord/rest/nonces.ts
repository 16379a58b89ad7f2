import type { FakeMessage } from '../world/message.ts';

const WINDOW_MS = 300_000;

/** Messages of the last minutes, by author and nonce: what `enforce_nonce` compares with. */
export class Nonces {
  readonly #byKey = new Map<string, { readonly message: FakeMessage; readonly atMs: number }>();

  find(authorId: string, nonce: string | number, nowMs: number): FakeMessage | null {
    const known = this.#byKey.get(`${authorId}/${nonce}`);
    return known && nowMs - known.atMs < WINDOW_MS ? known.message : null;
  }

  keep(message: FakeMessage, nowMs: number): void {
    if (message.nonce !== null)
      this.#byKey.set(`${message.author.id}/${message.nonce}`, { message, atMs: nowMs });
  }
}
