import { randomBytes } from 'node:crypto';
import type { SrtpKeys } from '../../../../rtp/rtp-protocol.ts';
import { numberOf } from './sdp-text.ts';

export type SrtpSuite = SrtpKeys['suite'];

/** In the order offered. */
export const SRTP_SUITES: readonly SrtpSuite[] = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'];

/** Combined length of master key and salt, the same for both suites (RFC 4568 section 6.2). */
const KEY_BYTES = 30;

/** Our sending keys, one per suite, constant for the lifetime of a leg. */
export type LocalKeys = Readonly<Record<SrtpSuite, Uint8Array>>;

export function newLocalKeys(): LocalKeys {
  return {
    AES_CM_128_HMAC_SHA1_80: ownBytes(randomBytes(KEY_BYTES)),
    AES_CM_128_HMAC_SHA1_32: ownBytes(randomBytes(KEY_BYTES)),
  };
}

/**
 * Copies bytes into memory of their own. Small Buffers share a pool, and the whole pool would be sent to the worker
 * with the key.
 */
function ownBytes(bytes: Buffer): Uint8Array {
  return Uint8Array.from(bytes);
}

/** A crypto line of the peer that we support. */
export interface PeerCrypto {
  readonly tag: number;
  readonly suite: SrtpSuite;
  readonly key: Uint8Array;
}

/**
 * Parses a crypto line (RFC 4568 section 9.1). A lifetime after the key is ignored. Returns null for other suites,
 * invalid keys, and anything that would change the packets: several keys, an MKI, session parameters.
 */
export function parseCrypto(line: string): PeerCrypto | null {
  const [tag = '', name = '', config = '', ...parameters] = line.trim().split(' ');
  const suite = SRTP_SUITES.find((each) => each === name.toUpperCase());
  const encoded = /^inline:([a-z0-9+/]+={0,2})(?:\|[0-9^]+)?$/i.exec(config)?.[1];
  if (numberOf(tag) === null || suite === undefined || encoded === undefined) return null;
  if (changesPackets(parameters.join(' '))) return null;
  const key = Buffer.from(encoded, 'base64');
  return key.length === KEY_BYTES ? { tag: Number(tag), suite, key: ownBytes(key) } : null;
}

function changesPackets(parameters: string): boolean {
  return parameters
    .split(/\s+/)
    .some((each) => each !== '' && !/^WSH=\d+$/i.test(each) && !/^KDR=0$/i.test(each));
}

export function cryptoAttribute(tag: number, suite: SrtpSuite, keys: LocalKeys): string {
  return `a=crypto:${tag} ${suite} inline:${Buffer.from(keys[suite]).toString('base64')}`;
}
