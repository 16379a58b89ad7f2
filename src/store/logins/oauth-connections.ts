import type { Platform } from '../../base/platform.ts';
import { changeRows, type Db } from '../database/rows.ts';
import { type SecretBox, secretPlaces } from '../secrets/secret-box.ts';
import { SHOWN, type StoredConnection } from './connections.ts';

/** A connection with its tokens as stored. */
export interface SealedConnection extends StoredConnection {
  readonly sealedCredentials: string;
}

/** A connection by OAuth. Its tokens belong to this account of the platform. */
export interface OAuthConnection extends SealedConnection {
  readonly providerUserId: string;
}

/** The tokens of a connection. In memory only; never logged. */
export interface StoredTokens {
  readonly accessToken: string;
  /** Null: the platform issued none. */
  readonly refreshToken: string | null;
}

const NO_TOKENS = '';
const placeOf = secretPlaces('connections', 'sealed_credentials');

/** Seals tokens for the row of a connection. Null: they are lost. */
export function sealTokens(secrets: SecretBox, connectionId: string, tokens: StoredTokens | null): string {
  return secrets.seal(tokens === null ? NO_TOKENS : JSON.stringify(tokens), placeOf(connectionId));
}

/** Returns a connection's tokens; null when they are lost, or were sealed with another master key. */
export function openTokens(
  secrets: SecretBox,
  { id, sealedCredentials }: Pick<SealedConnection, 'id' | 'sealedCredentials'>,
): StoredTokens | null {
  try {
    const text = secrets.open(sealedCredentials, placeOf(id));
    return text === NO_TOKENS ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns a connection by OAuth at a platform. Undefined: there is none with this id. */
export async function findOAuthConnection(
  db: Db,
  provider: Platform,
  connectionId: string,
): Promise<OAuthConnection | undefined> {
  return await oauthConnections(db, provider).where('id', '=', connectionId).executeTakeFirst();
}

/** Returns the connection to an account of a platform, whichever of the gateway's accounts it belongs to. */
export async function findConnectionOfUser(
  db: Db,
  provider: Platform,
  providerUserId: string,
): Promise<OAuthConnection | undefined> {
  return await oauthConnections(db, provider).where('providerUserId', '=', providerUserId).executeTakeFirst();
}

/** Returns up to `limit` connections of a platform with ids after `afterId`, ordered by id. */
export async function listOAuthConnections(
  db: Db,
  provider: Platform,
  afterId: string,
  limit: number,
): Promise<OAuthConnection[]> {
  return await oauthConnections(db, provider).where('id', '>', afterId).orderBy('id').limit(limit).execute();
}

/** Returns the account's connections by OAuth at all platforms. */
export async function listSealedConnections(db: Db, accountId: string): Promise<SealedConnection[]> {
  return await db
    .selectFrom('connections')
    .select([...SHOWN, 'sealedCredentials'])
    .where('accountId', '=', accountId)
    .where('providerUserId', 'is not', null)
    .execute();
}

/**
 * Replaces a connection's tokens, unless someone else has replaced or deleted them since `former` was read. Returns
 * whether it did.
 */
export async function replaceTokens(
  db: Db,
  former: Pick<SealedConnection, 'id' | 'sealedCredentials'>,
  change: Pick<SealedConnection, 'sealedCredentials' | 'expiresAt' | 'updatedAt'> &
    Partial<Pick<SealedConnection, 'scopes'>>,
): Promise<boolean> {
  const { id, sealedCredentials } = former;
  return await changeRows(db, 'connections', { id, sealedCredentials }, change);
}

/** Sets a connection's status. Returns the connection; undefined when it is gone or already has this status. */
export async function changeConnectionStatus(
  db: Db,
  connectionId: string,
  status: string,
  updatedAt: string,
): Promise<StoredConnection | undefined> {
  return await db
    .updateTable('connections')
    .set({ status, updatedAt })
    .where('id', '=', connectionId)
    .where('status', '!=', status)
    .returning(SHOWN)
    .executeTakeFirst();
}

function oauthConnections(db: Db, provider: Platform) {
  return db
    .selectFrom('connections')
    .select([...SHOWN, 'sealedCredentials'])
    .where('provider', '=', provider)
    .where('providerUserId', 'is not', null)
    .$narrowType<{ providerUserId: string }>();
}
