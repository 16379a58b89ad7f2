import type { Selectable } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import type { SignInsTable } from './people-tables.ts';

/** A sign-in under way at a provider, with its secrets in the clear: in memory only, never logged. */
export interface PendingSignIn extends Omit<Selectable<SignInsTable>, 'sealedSecrets'> {
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Also forgets those whose time is over, so that what nobody finishes does not gather. */
export async function insertSignIn(db: Db, secrets: SecretBox, signIn: PendingSignIn): Promise<void> {
  const { nonce, codeVerifier, ...plain } = signIn;
  const sealedSecrets = secrets.seal(JSON.stringify({ nonce, codeVerifier }), placeOf(signIn.stateHash));
  await db.deleteFrom('signIns').where('expiresAt', '<=', signIn.createdAt).execute();
  await db
    .insertInto('signIns')
    .values({ ...plain, sealedSecrets })
    .execute();
}

/** Takes a sign-in out: nobody else can finish it. Undefined: there is none, or its time is over. */
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

/** Nobody links an identity to the account by a sign-in that is under way. */
export async function forgetSignIns(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('signIns').where('accountId', '=', accountId).execute();
}

function placeOf(stateHash: string): SecretPlace {
  return { table: 'sign_ins', column: 'sealed_secrets', row: stateHash };
}
