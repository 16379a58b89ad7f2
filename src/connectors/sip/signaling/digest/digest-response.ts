import { createHash } from 'node:crypto';
import type { DigestChallenge } from './digest-challenge.ts';

/** Inputs of a Digest response other than the challenge. */
export interface DigestRequest {
  readonly username: string;
  readonly password: string;
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
