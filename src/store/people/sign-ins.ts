import type { Selectable } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import type { SignInsTable } from './people-tables.ts';

/** A sign-in in progress at a provider, with its secrets in plain text. In memory only; never logged. */
export interface PendingSignIn extends Omit<Selectable<SignInsTable>, 'sealedSecrets'> {
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Also deletes expired sign-ins, so that abandoned ones do not accumulate. */
export async function insertSignIn(db: Db, secrets: SecretBox, signIn: PendingSignIn): Promise<void> {
  const { nonce, codeVerifier, ...plain } = signIn;
  const sealedSecrets = secrets.seal(JSON.stringify({ nonce, codeVerifier }), placeOf(signIn.stateHash));
  await db.deleteFrom('signIns').where('expiresAt', '<=', signIn.createdAt).execute();
  await db
    .insertInto('signIns')
    .values({ ...plain, sealedSecrets })
    .execute();
}

/**
 * Removes and returns a sign-in, so that it can only be completed once. Undefined: there is none, or it has expired.
 */
export async function takeSignIn(
  db: Db,
  secrets: SecretBox,
  stateHash: string,
  nowIso: string,
): Promise<PendingSignIn | undefined> {
  const row = await db
    .deleteFrom('signIns')
    .where('stateHash', '=', stateHash)
    .returningAll()
    .executeTakeFirst();
  if (!row || row.expiresAt <= nowIso) return undefined;
  const { sealedSecrets, ...plain } = row;
  return { ...plain, ...JSON.parse(secrets.open(sealedSecrets, placeOf(stateHash))) };
}

/** Deletes the account's sign-ins in progress, so that they cannot link an identity. */
export async function forgetSignIns(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('signIns').where('accountId', '=', accountId).execute();
}

function placeOf(stateHash: string): SecretPlace {
  return { table: 'sign_ins', column: 'sealed_secrets', row: stateHash };
}
