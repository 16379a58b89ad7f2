import { hkdfSync } from 'node:crypto';
import { isoAfter } from '../base/time.ts';
import { hashToken } from '../base/tokens.ts';
import type { OauthToken } from '../store/keys/oauth-grants.ts';
import { MASTER_KEY_BYTES, SecretBox, secretPlaces } from '../store/secrets/secret-box.ts';

/** How long a client may repeat a refresh whose response was lost, or that it sent twice at the same time. */
export const REPEAT_MS = 60_000;

const placeOf = secretPlaces('oauth_tokens', 'sealed_successor');

/** The pair that replaces a refresh token. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * Encrypts a pair with a key derived from the refresh token that it replaces. The database holds only the token's hash,
 * so it cannot decrypt the pair.
 */
export function sealPair({ accessToken, refreshToken }: TokenPair, spentToken: string): string {
  return boxOf(spentToken).seal(
    JSON.stringify({ accessToken, refreshToken }),
    placeOf(hashToken(spentToken)),
  );
}

/** Returns the pair that replaced a refresh token; null once the refresh can no longer be repeated. */
export function repeatedPair(
  { tokenHash, spentAt, sealedSuccessor }: OauthToken,
  spentToken: string,
  nowIso: string,
): TokenPair | null {
  if (spentAt === null || sealedSuccessor === null || isoAfter(spentAt, REPEAT_MS) < nowIso) return null;
  return JSON.parse(boxOf(spentToken).open(sealedSuccessor, placeOf(tokenHash))) as TokenPair;
}

/** Derives the key. Tokens are random, so this needs neither a salt nor a slow hash. */
function boxOf(token: string): SecretBox {
  return new SecretBox(
    Buffer.from(hkdfSync('sha256', token, '', 'successor of a refresh token', MASTER_KEY_BYTES)),
  );
}
