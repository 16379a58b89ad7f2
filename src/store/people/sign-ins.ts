import { type Db, deleteExpired, insertRow, type Row, takeUnexpired } from '../database/rows.ts';
import { type SecretBox, secretPlaces } from '../secrets/secret-box.ts';

/** A sign-in in progress at a provider, with its secrets in plain text. In memory only; never logged. */
export interface PendingSignIn extends Omit<Row<'signIns'>, 'sealedSecrets'> {
  readonly nonce: string;
  readonly codeVerifier: string;
}

const placeOf = secretPlaces('sign_ins', 'sealed_secrets');

/** Also deletes expired sign-ins, so that abandoned ones do not accumulate. */
export async function insertSignIn(db: Db, secrets: SecretBox, signIn: PendingSignIn): Promise<void> {
  const { nonce, codeVerifier, ...plain } = signIn;
  const sealedSecrets = secrets.seal(JSON.stringify({ nonce, codeVerifier }), placeOf(signIn.stateHash));
  await deleteExpired(db, 'signIns', signIn.createdAt);
  await insertRow(db, 'signIns', { ...plain, sealedSecrets });
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
  const row = await takeUnexpired(db, 'signIns', { stateHash }, nowIso);
  if (!row) return undefined;
  const { sealedSecrets, ...plain } = row;
  return { ...plain, ...JSON.parse(secrets.open(sealedSecrets, placeOf(stateHash))) };
}
