import { sql } from 'kysely';
import { deleteSome } from '../database/delete-some.ts';
import { type Db, deleteExpired, insertRow, type Row, takeUnexpired } from '../database/rows.ts';
import { type SecretBox, secretPlaces } from '../secrets/secret-box.ts';

const placeOf = secretPlaces('connection_states', 'sealed_verifier');

/** A connection in progress, with its verifier in plain text. In memory only; never logged. */
export interface PendingConnection extends Omit<Row<'connectionStates'>, 'sealedVerifier'> {
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
  await deleteExpired(db, 'connectionStates', pending.createdAt);
  const surplus = db
    .selectFrom('connectionStates')
    .select('stateHash')
    .where('accountId', '=', pending.accountId)
    .orderBy('createdAt', 'desc')
    .orderBy('stateHash')
    .limit(-1)
    .offset(most - 1);
  await db.deleteFrom('connectionStates').where('stateHash', 'in', surplus).execute();
  await insertRow(db, 'connectionStates', { ...plain, sealedVerifier });
}

/** Removes and returns a connection in progress, so that it can be completed only once. */
export async function takeConnectionState(
  db: Db,
  secrets: SecretBox,
  stateHash: string,
  nowIso: string,
): Promise<PendingConnection | undefined> {
  const row = await takeUnexpired(db, 'connectionStates', { stateHash }, nowIso);
  if (!row) return undefined;
  const { sealedVerifier, ...plain } = row;
  return { ...plain, codeVerifier: sealedVerifier && secrets.open(sealedVerifier, placeOf(stateHash)) };
}

/** Deletes up to `limit` that expired before a time. Returns their number. */
export async function deleteExpiredConnectionStates(db: Db, before: string, limit: number): Promise<number> {
  return await deleteSome(db, 'connection_states', sql`expires_at <= ${before}`, limit);
}
