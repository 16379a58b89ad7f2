import { type Selectable, sql } from 'kysely';
import { deleteSome } from '../database/delete-some.ts';
import type { Db } from '../database/tables.ts';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import type { ConnectionStatesTable } from './login-tables.ts';

/** A connection in progress, with its verifier in plain text. In memory only; never logged. */
export interface PendingConnection extends Omit<Selectable<ConnectionStatesTable>, 'sealedVerifier'> {
  readonly codeVerifier: string | null;
}

/** Stores a connection in progress. Of the account's others, only the newest `most` - 1 that have not expired stay. */
export async function insertConnectionState(
  db: Db,
  secrets: SecretBox,
  pending: PendingConnection,
  most: number,
): Promise<void> {
  const { codeVerifier, ...plain } = pending;
  const sealedVerifier = codeVerifier && secrets.seal(codeVerifier, placeOf(pending.stateHash));
  await db.deleteFrom('connectionStates').where('expiresAt', '<=', pending.createdAt).execute();
  const surplus = db
    .selectFrom('connectionStates')
    .select('stateHash')
    .where('accountId', '=', pending.accountId)
    .orderBy('createdAt', 'desc')
    .orderBy('stateHash')
    .limit(-1)
    .offset(most - 1);
  await db.deleteFrom('connectionStates').where('stateHash', 'in', surplus).execute();
  await db
    .insertInto('connectionStates')
    .values({ ...plain, sealedVerifier })
    .execute();
}

/** Returns a connection in progress and leaves it. Undefined: there is none, or it has expired. */
export async function findConnectionState(
  db: Db,
  stateHash: string,
  nowIso: string,
): Promise<Omit<PendingConnection, 'codeVerifier'> | undefined> {
  const row = await db
    .selectFrom('connectionStates')
    .selectAll()
    .where('stateHash', '=', stateHash)
    .executeTakeFirst();
  if (!row || row.expiresAt <= nowIso) return undefined;
  const { sealedVerifier: _sealed, ...plain } = row;
  return plain;
}

/** Removes and returns a connection in progress, so that it can be completed only once. */
export async function takeConnectionState(
  db: Db,
  secrets: SecretBox,
  stateHash: string,
  nowIso: string,
): Promise<PendingConnection | undefined> {
  const row = await db
    .deleteFrom('connectionStates')
    .where('stateHash', '=', stateHash)
    .returningAll()
    .executeTakeFirst();
  if (!row || row.expiresAt <= nowIso) return undefined;
  const { sealedVerifier, ...plain } = row;
  return { ...plain, codeVerifier: sealedVerifier && secrets.open(sealedVerifier, placeOf(stateHash)) };
}

/** Voids the account's connections in progress. */
export async function forgetConnectionStates(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('connectionStates').where('accountId', '=', accountId).execute();
}

/** Deletes up to `limit` that expired before a time. Returns their number. */
export async function deleteExpiredConnectionStates(db: Db, before: string, limit: number): Promise<number> {
  const expired = sql`expires_at <= ${before}`;
  return await deleteSome(db, 'connection_states', expired, limit);
}

function placeOf(stateHash: string): SecretPlace {
  return { table: 'connection_states', column: 'sealed_verifier', row: stateHash };
}
