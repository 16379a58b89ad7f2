import type { Platform } from '../../base/platform.ts';
import { changeRows, type Db } from '../database/rows.ts';
import { type SecretBox, secretPlaces } from '../secrets/secret-box.ts';
import { SHOWN, type StoredConnection } from './connections.ts';

/** A connection with its credentials as stored. */
export interface SealedConnection extends StoredConnection {
  readonly sealedCredentials: string;
}

/** A connection with credentials of its own: the tokens of an account of the platform, or what a pairing has brought. */
export interface LoginConnection extends SealedConnection {
  readonly providerUserId: string;
}

export function hasCredentials(connection: SealedConnection): connection is LoginConnection {
  return connection.providerUserId !== null;
}

/** The tokens of a connection. In memory only; never logged. */
export interface StoredTokens {
  readonly accessToken: string;
  /** Null: the platform issued none. */
  readonly refreshToken: string | null;
  /** The platform was asked for new tokens, and its answer is not stored: it may have voided these. */
  readonly isRefreshing?: true;
}

/** Rows read at a time, which takes less than a millisecond of the main thread. */
const PAGE_SIZE = 100;

const NO_CREDENTIALS = '';
const placeOf = secretPlaces('connections', 'sealed_credentials');

/** Seals credentials, as JSON, for the row of a connection. Null: they are lost. */
export function sealCredentials(secrets: SecretBox, connectionId: string, credentials: unknown): string {
  return secrets.seal(
    credentials === null ? NO_CREDENTIALS : JSON.stringify(credentials),
    placeOf(connectionId),
  );
}

/** As `sealCredentials`, for a connection by OAuth. */
export function sealTokens(secrets: SecretBox, connectionId: string, tokens: StoredTokens | null): string {
  return sealCredentials(secrets, connectionId, tokens);
}

/** Returns a connection's credentials; null when they are lost, or were sealed with another master key. */
export function openCredentials(
  secrets: SecretBox,
  { id, sealedCredentials }: Pick<SealedConnection, 'id' | 'sealedCredentials'>,
): unknown {
  try {
    const text = secrets.open(sealedCredentials, placeOf(id));
    return text === NO_CREDENTIALS ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** As `openCredentials`, for a connection by OAuth. */
export function openTokens(
  secrets: SecretBox,
  connection: Pick<SealedConnection, 'id' | 'sealedCredentials'>,
): StoredTokens | null {
  return openCredentials(secrets, connection) as StoredTokens | null;
}

/** Returns a connection with credentials at a platform. Undefined: there is none with this id. */
export async function findLoginConnection(
  db: Db,
  provider: Platform,
  connectionId: string,
): Promise<LoginConnection | undefined> {
  return await loginConnections(db, provider).where('id', '=', connectionId).executeTakeFirst();
}

/** Returns the connection to an account of a platform, whichever of the gateway's accounts it belongs to. */
export async function findConnectionOfUser(
  db: Db,
  provider: Platform,
  providerUserId: string,
): Promise<LoginConnection | undefined> {
  return await loginConnections(db, provider).where('providerUserId', '=', providerUserId).executeTakeFirst();
}

/** Yields the connections with credentials at a platform, of all accounts, ordered by id. They are read in pages. */
export async function* allLoginConnections(db: Db, provider: Platform): AsyncGenerator<LoginConnection> {
  for (let last = ''; ; ) {
    const page = await loginConnections(db, provider)
      .where('id', '>', last)
      .orderBy('id')
      .limit(PAGE_SIZE)
      .execute();
    yield* page;
    if (page.length < PAGE_SIZE) return;
    last = page.at(-1)!.id;
  }
}

/** Returns the account's connections with credentials at all platforms. */
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
  { id, sealedCredentials }: Pick<SealedConnection, 'id' | 'sealedCredentials'>,
  change: Pick<SealedConnection, 'sealedCredentials' | 'expiresAt' | 'updatedAt'> &
    Partial<Pick<SealedConnection, 'scopes'>>,
): Promise<boolean> {
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

function loginConnections(db: Db, provider: Platform) {
  return db
    .selectFrom('connections')
    .select([...SHOWN, 'sealedCredentials'])
    .where('provider', '=', provider)
    .where('providerUserId', 'is not', null)
    .$narrowType<{ providerUserId: string }>();
}
