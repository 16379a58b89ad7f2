import {
  type CiphersuiteImpl,
  type Credential,
  defaultCryptoProvider,
  getCiphersuiteFromName,
  getCiphersuiteImpl,
} from 'ts-mls';
import { HKDF, P256, SHA256 } from './mls-crypto.ts';

export const SUITE_NAME = 'MLS_128_DHKEMP256_AES128GCM_SHA256_P256';

let suite: Promise<CiphersuiteImpl> | null = null;

/** The one cipher suite of DAVE 1. */
export function mlsSuite(): Promise<CiphersuiteImpl> {
  suite ??= createSuite();
  return suite;
}

async function createSuite(): Promise<CiphersuiteImpl> {
  const plain = await getCiphersuiteImpl(getCiphersuiteFromName(SUITE_NAME), defaultCryptoProvider);
  return { ...plain, hash: SHA256, kdf: HKDF, signature: P256 };
}

/** A snowflake as 8 bytes, big end first: the identity of a user, and the group of a channel. */
export function snowflakeBytes(id: string): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(id));
  return bytes;
}

export function basicCredential(userId: string): Credential {
  return { credentialType: 'basic', identity: snowflakeBytes(userId) };
}

/** Null when it is not a basic one of 8 bytes. */
export function userOf(credential: Credential): string | null {
  if (credential.credentialType !== 'basic' || !('identity' in credential)) return null;
  if (credential.identity.length !== 8) return null;
  return Buffer.from(credential.identity).readBigUInt64BE().toString();
}
