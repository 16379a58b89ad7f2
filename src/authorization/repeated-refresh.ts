import { hkdfSync } from 'node:crypto';
import { isoAfter } from '../base/time.ts';
import { hashToken } from '../base/tokens.ts';
import type { OauthToken } from '../store/keys/oauth-grants.ts';
import { MASTER_KEY_BYTES, SecretBox, type SecretPlace } from '../store/secrets/secret-box.ts';

/** How long a client may repeat a refresh: its answer was lost, or it refreshed twice at the same time. */
export const REPEAT_MS = 60_000;

/** What a refresh token was spent for. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * Seals a pair under the refresh token that it replaces. Only the token's hash is stored, so the database alone opens
 * nothing.
 */
export function sealPair({ accessToken, refreshToken }: TokenPair, spentToken: string): string {
  return boxOf(spentToken).seal(
    JSON.stringify({ accessToken, refreshToken }),
    placeOf(hashToken(spentToken)),
  );
}

/** The pair that a token was spent for; null once the refresh may not be repeated any more. */
export function repeatedPair(
  { tokenHash, spentAt, sealedSuccessor }: OauthToken,
  spentToken: string,
  nowIso: string,
): TokenPair | null {
  if (spentAt === null || sealedSuccessor === null || isoAfter(spentAt, REPEAT_MS) < nowIso) return null;
  return JSON.parse(boxOf(spentToken).open(sealedSuccessor, placeOf(tokenHash))) as TokenPair;
}

/** Tokens are random, so a derived key needs no salt and no slow hash. */
function boxOf(token: string): SecretBox {
  return new SecretBox(
    Buffer.from(hkdfSync('sha256', token, '', 'successor of a refresh token', MASTER_KEY_BYTES)),
  );
}

function placeOf(tokenHash: string): SecretPlace {
  return { table: 'oauth_tokens', column: 'sealed_successor', row: tokenHash };
}
