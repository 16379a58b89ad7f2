import { isSigned, type SignedHead } from '../../kit/v0-signature.ts';

/** Hashed for one request, whoever has sent it: twice the largest body. */
const MAX_HASHED_BYTES = 2_097_152;

/**
 * Compares the signature of one request with what several secrets would sign: with each once, as every secret makes a
 * hash of the whole body, and with so many only that a stranger causes little work.
 */
export class SignatureCheck {
  readonly #head: SignedHead;
  readonly #body: Uint8Array;
  readonly #results = new Map<string, boolean>();

  constructor(head: SignedHead, body: Uint8Array) {
    this.#head = head;
    this.#body = body;
  }

  /** Returns the first secret that has signed the request; undefined: none of those that were tried. */
  signerOf(secrets: readonly string[]): string | undefined {
    return secrets.find((secret) => this.#results.get(secret) ?? this.#try(secret));
  }

  #try(secret: string): boolean {
    if ((this.#results.size + 1) * this.#body.length > MAX_HASHED_BYTES) return false;
    const result = isSigned(this.#head, this.#body, secret);
    this.#results.set(secret, result);
    return result;
  }
}
