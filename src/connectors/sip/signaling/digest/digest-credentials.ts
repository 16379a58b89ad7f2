import { createHash, randomBytes } from 'node:crypto';
import type { DigestChallenge } from './digest-challenge.ts';

export interface DigestAccount {
  readonly username: string;
  readonly password: string;
}

/** Where the answer to a challenge goes. */
export type AuthorizationHeader = 'Authorization' | 'Proxy-Authorization';

/** A challenge, and the header for its answer. */
export interface Challenge extends DigestChallenge {
  readonly answeredIn: AuthorizationHeader;
}

/** Realms on the way of one request. More would not fit into a datagram. */
const MAX_REALMS = 4;
/** How often one realm may call its nonce stale. */
const MAX_STALE = 2;

/** The answer to the challenges of one realm. */
interface Answered {
  challenge: Challenge;
  /** Uses of the challenge's nonce. */
  uses: number;
  staleTimes: number;
}

/** The credentials of one request. They accumulate while servers on its way challenge it one after another. */
export class DigestCredentials {
  readonly #account: DigestAccount;
  readonly #cnonce = randomBytes(12).toString('hex');
  readonly #answered = new Map<string, Answered>();

  constructor(account: DigestAccount) {
    this.#account = account;
  }

  /**
   * Takes the challenges of a response. Returns false when answering them again is useless: a realm has refused what it got,
   * or there are too many.
   */
  accept(challenges: readonly Challenge[]): boolean {
    for (const challenge of challenges) {
      const key = `${challenge.answeredIn} ${challenge.realm}`;
      const known = this.#answered.get(key);
      if (known !== undefined && (!challenge.stale || known.staleTimes >= MAX_STALE)) return false;
      if (known === undefined && this.#answered.size >= MAX_REALMS) return false;
      this.#answered.set(key, {
        challenge,
        uses: 0,
        staleTimes: known === undefined ? 0 : known.staleTimes + 1,
      });
    }
    return true;
  }

  /** Returns the values of both headers for the next attempt. */
  headersFor({ method, uri }: Pick<DigestRequest, 'method' | 'uri'>): Map<AuthorizationHeader, string[]> {
    const headers = new Map<AuthorizationHeader, string[]>();
    const { username, password } = this.#account;
    for (const answered of this.#answered.values()) {
      const { challenge } = answered;
      answered.uses += 1;
      const request = { username, password, method, uri, cnonce: this.#cnonce, nonceCount: answered.uses };
      const value = authorization(challenge, request);
      headers.set(challenge.answeredIn, [...(headers.get(challenge.answeredIn) ?? []), value]);
    }
    return headers;
  }
}

/** Inputs of a Digest response other than the challenge. */
export interface DigestRequest extends DigestAccount {
  readonly method: string;
  readonly uri: string;
  readonly cnonce: string;
  /** Number of uses of this nonce, from 1. */
  readonly nonceCount: number;
}

/** Returns the `response` value in hexadecimal (RFC 7616 section 3.4.1). */
export function digestResponse(challenge: DigestChallenge, request: DigestRequest): string {
  const { nonce, qopAuth } = challenge;
  const hash = hasher(challenge);
  const ha1 = secretHash(challenge, request);
  const ha2 = hash(`${request.method}:${request.uri}`);
  if (!qopAuth) return hash(`${ha1}:${nonce}:${ha2}`);
  return hash(`${ha1}:${nonce}:${nonceCountHex(request)}:${request.cnonce}:auth:${ha2}`);
}

function secretHash(challenge: DigestChallenge, request: DigestRequest): string {
  const hash = hasher(challenge);
  const base = hash(`${request.username}:${challenge.realm}:${request.password}`);
  return challenge.algorithm.endsWith('-sess') ? hash(`${base}:${challenge.nonce}:${request.cnonce}`) : base;
}

function hasher(challenge: DigestChallenge): (text: string) => string {
  const name = challenge.algorithm.startsWith('SHA-256') ? 'sha256' : 'md5';
  return (text) => createHash(name).update(text, 'utf8').digest('hex');
}

function nonceCountHex(request: DigestRequest): string {
  return request.nonceCount.toString(16).padStart(8, '0');
}

/** Returns the value of Authorization or Proxy-Authorization. */
export function authorization(challenge: DigestChallenge, request: DigestRequest): string {
  const { realm, nonce, opaque, algorithm, qopAuth } = challenge;
  const fields = [
    `username="${quoted(request.username)}"`,
    `realm="${quoted(realm)}"`,
    `nonce="${quoted(nonce)}"`,
    `uri="${request.uri}"`,
    `response="${digestResponse(challenge, request)}"`,
    `algorithm=${algorithm}`,
    ...(opaque === null ? [] : [`opaque="${quoted(opaque)}"`]),
    ...(qopAuth || algorithm.endsWith('-sess') ? [`cnonce="${request.cnonce}"`] : []),
    ...(qopAuth ? ['qop=auth', `nc=${nonceCountHex(request)}`] : []),
  ];
  return `Digest ${fields.join(', ')}`;
}

function quoted(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}
