import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { SignJWT } from 'jose';

/** A key of the Bot Connector with the channels that may use it. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly endorsements: readonly string[];
}

/** Returns a new RSA key. */
export function newSigningKey(endorsements: readonly string[] = ['msteams', 'webchat']): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return { kid: randomBytes(20).toString('base64url'), privateKey, endorsements };
}

let first: SigningKey | null = null;

/** Returns the same key each time: making one takes a second. */
export function firstSigningKey(): SigningKey {
  first ??= newSigningKey();
  return first;
}

/** A key as the Bot Connector publishes it. */
export function publishedKey({ kid, privateKey, endorsements }: SigningKey): object {
  const jwk = createPublicKey(createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))).export({
    format: 'jwk',
  });
  return { ...jwk, use: 'sig', kid, x5t: kid, endorsements };
}

/** What a token of the Bot Connector claims. */
export interface ConnectorClaims {
  readonly issuer: string;
  readonly audience: string;
  readonly serviceUrl: string;
}

/** Signs a token as the Bot Connector does: valid for an hour, five minutes old. */
export async function connectorToken(key: SigningKey, claims: ConnectorClaims): Promise<string> {
  const nowS = Math.floor(Date.now() / 1_000);
  return await new SignJWT({ serviceurl: claims.serviceUrl })
    .setProtectedHeader({ alg: 'RS256', kid: key.kid, x5t: key.kid, typ: 'JWT' })
    .setIssuer(claims.issuer)
    .setAudience(claims.audience)
    .setNotBefore(nowS - 300)
    .setExpirationTime(nowS + 3_300)
    .sign(key.privateKey);
}
