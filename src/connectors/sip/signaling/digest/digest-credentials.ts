import { createHash, randomBytes } from 'node:crypto';
import type { DigestChallenge } from './digest-challenge.ts';

export interface DigestAccount {
  readonly username: string;
  readonly password: string;
}

/** The part of a request that its credentials sign. */
interface SignedRequest {
  readonly method: string;
  readonly ruri: { toRaw(): string };
}

/** Answers the challenges of one request. sip.js creates a new instance for each request. */
export class DigestCredentials {
  /** Set and read by sip.js. */
  stale: boolean | undefined = undefined;
  readonly #account: DigestAccount;
  readonly #cnonce = randomBytes(12).toString('hex');
  #nonce = '';
  #nonceCount = 0;
  #header = '';

  constructor(account: DigestAccount) {
    this.#account = account;
  }

  /** Returns true: every challenge that sip.js is shown can be answered. */
  authenticate({ method, ruri }: SignedRequest, challenge: DigestChallenge): boolean {
    this.#nonceCount = challenge.nonce === this.#nonce ? this.#nonceCount + 1 : 1;
    this.#nonce = challenge.nonce;
    const { username, password } = this.#account;
    const [cnonce, nonceCount] = [this.#cnonce, this.#nonceCount];
    const request = { username, password, method, uri: ruri.toRaw(), cnonce, nonceCount };
    this.#header = authorization(challenge, request);
    return true;
  }

  toString(): string {
    return this.#header;
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
