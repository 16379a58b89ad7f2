import { createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const KID = randomUUID();

/** Signs an ID token (RS256). */
export function signIdToken(claims: Readonly<Record<string, unknown>>): string {
  const parts = [{ alg: 'RS256', typ: 'JWT', kid: KID }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature = sign('RSA-SHA256', Buffer.from(parts.join('.')), privateKey);
  return [...parts, signature.toString('base64url')].join('.');
}

/** The key that such tokens are signed with, in PEM, by its id. */
export function idTokenCertificates(): Record<string, string> {
  return { [KID]: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string };
}

export function secondsNow(): number {
  return Math.floor(Date.now() / 1000);
}
