import { randomBytes } from 'node:crypto';
import type { OutgoingRequestMessage } from 'sip.js/lib/core/index.js';
import { LimitedMap } from '../../../../base/limited-map.ts';
import { chooseChallenge, type DigestChallenge } from './digest-challenge.ts';
import { authorization } from './digest-response.ts';

const MAX_CHALLENGES = 256;

/**
 * The most recent challenges of a trunk's servers. sip.js supports only MD5 and reads a single header. So the challenge
 * is chosen beforehand and stored here, and sip.js gets a name for it in place of the nonce.
 */
export class StoredChallenges {
  readonly #realm: string | null;
  readonly #byName = new LimitedMap<DigestChallenge>(MAX_CHALLENGES);
  #added = 0;

  /** `realm`: challenges for it are answered before others. */
  constructor(realm: string | null) {
    this.#realm = realm;
  }

  /** Stores the best of a response's challenges and returns its name; null when there is none. */
  add(values: readonly string[]): { readonly name: string; readonly stale: boolean } | null {
    const challenge = chooseChallenge(values, this.#realm);
    if (challenge === null) return null;
    this.#added += 1;
    const name = String(this.#added);
    this.#byName.set(name, challenge);
    return { name, stale: challenge.stale };
  }

  find(name: string): DigestChallenge | null {
    return this.#byName.get(name) ?? null;
  }
}

/** Answers the challenges of one request. sip.js creates a new instance for each request. */
export class DigestCredentials {
  /** Set and read by sip.js. */
  stale: boolean | undefined = undefined;
  readonly #username: string;
  readonly #password: string;
  readonly #challenges: StoredChallenges;
  readonly #cnonce = randomBytes(12).toString('hex');
  #nonce = '';
  #nonceCount = 0;
  #header = '';

  constructor(username: string, password: string, challenges: StoredChallenges) {
    this.#username = username;
    this.#password = password;
    this.#challenges = challenges;
  }

  /** Returns false when the challenge cannot be answered; the request has then failed. */
  authenticate(request: OutgoingRequestMessage, shown: { nonce?: string }): boolean {
    const challenge = this.#challenges.find(shown.nonce ?? '');
    if (challenge === null) return false;
    this.#nonceCount = challenge.nonce === this.#nonce ? this.#nonceCount + 1 : 1;
    this.#nonce = challenge.nonce;
    this.#header = authorization(challenge, {
      username: this.#username,
      password: this.#password,
      method: request.method,
      uri: request.ruri.toRaw(),
      cnonce: this.#cnonce,
      nonceCount: this.#nonceCount,
    });
    return true;
  }

  toString(): string {
    return this.#header;
  }
}
