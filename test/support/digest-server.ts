import { createHash, randomBytes } from 'node:crypto';

export type DigestAlgorithm = 'MD5' | 'SHA-256';

/** The result of checking a request's credentials. */
export type DigestVerdict =
  | { readonly accepted: true; readonly algorithm: DigestAlgorithm }
  /** `stale`: right password, but the nonce is no longer good. `why` is for the test that reads it. */
  | { readonly accepted: false; readonly stale: boolean; readonly why: string };

interface Nonce {
  lastCount: number;
  usesLeft: number;
}

export interface DigestOptions {
  readonly realm: string;
  /** One challenge each, in this order (RFC 8760 section 2.4: the preferred one first). */
  readonly algorithms: readonly DigestAlgorithm[];
  /** After so many requests a nonce is stale. */
  readonly nonceUses: number;
}

/** The server's side of digest authentication (RFC 7616 in SIP as of RFC 8760), `qop=auth` only, and strict. */
export class DigestServer {
  readonly #options: DigestOptions;
  readonly #nonces = new Map<string, Nonce>();
  readonly #opaque = randomBytes(8).toString('hex');

  constructor(options: DigestOptions) {
    this.#options = options;
  }

  /** Values for WWW-Authenticate or Proxy-Authenticate, one header each. */
  challenges(stale: boolean): Record<string, string>[] {
    const nonce = randomBytes(16).toString('base64');
    this.#nonces.set(nonce, { lastCount: 0, usesLeft: this.#options.nonceUses });
    return this.#options.algorithms.map((algorithm) => ({
      scheme: 'Digest',
      realm: `"${this.#options.realm}"`,
      nonce: `"${nonce}"`,
      opaque: `"${this.#opaque}"`,
      qop: '"auth"',
      algorithm,
      ...(stale ? { stale: 'TRUE' } : {}),
    }));
  }

  verify(
    credentials: readonly Record<string, string>[] | undefined,
    request: { readonly method: string; readonly uri: string },
    passwordOf: (username: string) => string | null,
  ): DigestVerdict {
    const fields = this.#ofOurRealm(credentials);
    if (fields === null) return { accepted: false, stale: false, why: 'no credentials for this realm' };
    const { username = '', nonce = '', uri = '', response = '', qop, nc = '', cnonce = '', opaque } = fields;
    const algorithm = (fields.algorithm ?? 'MD5').toUpperCase() as DigestAlgorithm;
    const password = passwordOf(username);
    if (!this.#options.algorithms.includes(algorithm))
      return refused(`algorithm ${algorithm} was not offered`);
    if (password === null) return refused(`unknown user ${username}`);
    if (uri !== request.uri) return refused(`uri ${uri} is not the Request-URI ${request.uri}`);
    if (qop !== 'auth') return refused(`qop ${qop} was not offered`);
    if (cnonce === '') return refused('no cnonce');
    if (opaque !== this.#opaque) return refused('opaque was not returned');
    if (!/^[0-9a-f]{8}$/.test(nc)) return refused(`nc ${nc} is not eight hex digits`);
    const ha1 = hash(algorithm, `${username}:${this.#options.realm}:${password}`);
    const ha2 = hash(algorithm, `${request.method}:${uri}`);
    if (response !== hash(algorithm, `${ha1}:${nonce}:${nc}:${cnonce}:${qop}:${ha2}`)) {
      return refused('wrong response');
    }
    return this.#useNonce(nonce, Number.parseInt(nc, 16), algorithm);
  }

  /** Forgets every nonce: requests with an old one are answered as stale. */
  expireNonces(): void {
    this.#nonces.clear();
  }

  #useNonce(nonce: string, count: number, algorithm: DigestAlgorithm): DigestVerdict {
    const known = this.#nonces.get(nonce);
    if (known === undefined || known.usesLeft === 0)
      return { accepted: false, stale: true, why: 'stale nonce' };
    if (count !== known.lastCount + 1) return refused(`nc ${count} after ${known.lastCount}`);
    known.lastCount = count;
    known.usesLeft--;
    return { accepted: true, algorithm };
  }

  #ofOurRealm(credentials: readonly Record<string, string>[] | undefined): Record<string, string> | null {
    for (const header of credentials ?? []) {
      const fields = Object.fromEntries(
        Object.entries(header).map(([name, value]) => [name, unquote(value)]),
      );
      if (fields.scheme === 'Digest' && fields.realm === this.#options.realm) return fields;
    }
    return null;
  }
}

function refused(why: string): DigestVerdict {
  return { accepted: false, stale: false, why };
}

function hash(algorithm: DigestAlgorithm, text: string): string {
  return createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
    .update(text)
    .digest('hex');
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1) : value;
}
