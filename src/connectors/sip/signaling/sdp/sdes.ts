import { randomBytes } from 'node:crypto';
import type { SrtpKeys } from '../../media-protocol.ts';

export type SrtpSuite = SrtpKeys['suite'];

/** In the order in which they are offered. */
export const SRTP_SUITES: readonly SrtpSuite[] = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'];

/** Master key and salt of both suites together (RFC 4568 section 6.2). */
const KEY_BYTES = 30;

/** Our sending keys, one for each suite, the same for the whole life of a leg. */
export type LocalKeys = Readonly<Record<SrtpSuite, Uint8Array>>;

export function newLocalKeys(): LocalKeys {
  return {
    AES_CM_128_HMAC_SHA1_80: ownBytes(randomBytes(KEY_BYTES)),
    AES_CM_128_HMAC_SHA1_32: ownBytes(randomBytes(KEY_BYTES)),
  };
}

/** A copy with memory of its own: small Buffers share a pool, all of which would cross to the worker with the key. */
function ownBytes(bytes: Buffer): Uint8Array {
  return Uint8Array.from(bytes);
}

/** A crypto line of the peer that we can work with. */
export interface PeerCrypto {
  readonly tag: number;
  readonly suite: SrtpSuite;
  readonly key: Uint8Array;
}

/** The parts of an `a=crypto` line as they stand there. */
export interface CryptoLine {
  readonly id: number;
  readonly suite: string;
  readonly config: string;
  readonly sessionConfig?: string | undefined;
}

/**
 * Reads a crypto line (RFC 4568 section 9.1). A lifetime after the key is read over. Null: another suite, a broken
 * key, or what would change the packets: several keys, an MKI, session parameters.
 */
export function parseCrypto(line: CryptoLine): PeerCrypto | null {
  const suite = SRTP_SUITES.find((each) => each === line.suite.toUpperCase());
  const encoded = /^inline:([a-z0-9+/]+={0,2})(?:\|[0-9^]+)?$/i.exec(line.config)?.[1];
  if (suite === undefined || encoded === undefined || changesPackets(line.sessionConfig ?? '')) return null;
  const key = Buffer.from(encoded, 'base64');
  return key.length === KEY_BYTES ? { tag: line.id, suite, key: ownBytes(key) } : null;
}

function changesPackets(parameters: string): boolean {
  return parameters
    .split(/\s+/)
    .some((each) => each !== '' && !/^WSH=\d+$/i.test(each) && !/^KDR=0$/i.test(each));
}

export function cryptoAttribute(tag: number, suite: SrtpSuite, keys: LocalKeys): string {
  return `a=crypto:${tag} ${suite} inline:${Buffer.from(keys[suite]).toString('base64')}`;
}
