import { changeRows, type Db, findRow, listRows, putRow, type Row } from '../database/rows.ts';
import { type SecretBox, secretPlaces } from '../secrets/secret-box.ts';

/** A trunk with its secrets in plain text. In memory only; never logged. */
export interface StoredTrunk
  extends Omit<Row<'sipTrunks'>, 'sealedPassword' | 'sealedInboundToken' | 'createdAt' | 'updatedAt'> {
  readonly password: string;
  readonly inboundToken: string;
}

const passwordPlace = secretPlaces('sip_trunks', 'sealed_password');
const tokenPlace = secretPlaces('sip_trunks', 'sealed_inbound_token');

/** Adds or replaces the account's trunk. */
export async function putTrunk(
  db: Db,
  secrets: SecretBox,
  { password, inboundToken, ...plain }: StoredTrunk,
  nowIso: string,
): Promise<void> {
  const sealedPassword = secrets.seal(password, passwordPlace(plain.accountId));
  const sealedInboundToken = secrets.seal(inboundToken, tokenPlace(plain.accountId));
  const row = { ...plain, sealedPassword, sealedInboundToken, createdAt: nowIso, updatedAt: nowIso };
  await putRow(db, 'sipTrunks', row, { key: ['accountId'], kept: ['createdAt'] });
}

export async function findTrunk(
  db: Db,
  secrets: SecretBox,
  accountId: string,
): Promise<StoredTrunk | undefined> {
  const row = await findRow(db, 'sipTrunks', { accountId });
  return row && fromRow(row, secrets);
}

export async function listTrunks(db: Db, secrets: SecretBox): Promise<StoredTrunk[]> {
  return (await listRows(db, 'sipTrunks', {}, ['accountId'])).map((row) => fromRow(row, secrets));
}

/** Adds a token to every trunk without one, stored by a version without tokens. */
export async function fillInboundTokens(db: Db, secrets: SecretBox, newToken: () => string): Promise<void> {
  for (const { accountId } of await listRows(db, 'sipTrunks', { sealedInboundToken: null })) {
    const sealedInboundToken = secrets.seal(newToken(), tokenPlace(accountId));
    await changeRows(db, 'sipTrunks', { accountId }, { sealedInboundToken });
  }
}

function fromRow(row: Row<'sipTrunks'>, secrets: SecretBox): StoredTrunk {
  const { sealedPassword, sealedInboundToken, createdAt: _createdAt, updatedAt: _updatedAt, ...plain } = row;
  return {
    ...plain,
    password: secrets.open(sealedPassword, passwordPlace(row.accountId)),
    inboundToken: sealedInboundToken ? secrets.open(sealedInboundToken, tokenPlace(row.accountId)) : '',
  };
}
