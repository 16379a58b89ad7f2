import type { Selectable } from 'kysely';
import type { SecretBox, SecretPlace } from './secret-box.ts';
import type { Db, SipTrunksTable } from './tables.ts';

/** A trunk with its password in the clear: in memory only, never logged. */
export interface StoredTrunk
  extends Omit<Selectable<SipTrunksTable>, 'sealedPassword' | 'register' | 'createdAt' | 'updatedAt'> {
  readonly password: string;
  readonly register: boolean;
}

/** Adds or replaces the account's trunk. */
export async function putTrunk(
  db: Db,
  secrets: SecretBox,
  trunk: StoredTrunk,
  nowIso: string,
): Promise<void> {
  const { accountId, password, register, ...plain } = trunk;
  const changed = {
    ...plain,
    register: register ? (1 as const) : (0 as const),
    sealedPassword: secrets.seal(password, passwordPlace(accountId)),
    updatedAt: nowIso,
  };
  await db
    .insertInto('sipTrunks')
    .values({ ...changed, accountId, createdAt: nowIso })
    .onConflict((conflict) => conflict.column('accountId').doUpdateSet(changed))
    .execute();
}

export async function findTrunk(
  db: Db,
  secrets: SecretBox,
  accountId: string,
): Promise<StoredTrunk | undefined> {
  const row = await db
    .selectFrom('sipTrunks')
    .selectAll()
    .where('accountId', '=', accountId)
    .executeTakeFirst();
  return row && fromRow(row, secrets);
}

export async function listTrunks(db: Db, secrets: SecretBox): Promise<StoredTrunk[]> {
  const rows = await db.selectFrom('sipTrunks').selectAll().orderBy('accountId').execute();
  return rows.map((row) => fromRow(row, secrets));
}

/** False: there was none. */
export async function deleteTrunk(db: Db, accountId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sipTrunks')
    .where('accountId', '=', accountId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

function fromRow(row: Selectable<SipTrunksTable>, secrets: SecretBox): StoredTrunk {
  const { sealedPassword, register, createdAt: _createdAt, updatedAt: _updatedAt, ...plain } = row;
  const password = secrets.open(sealedPassword, passwordPlace(row.accountId));
  return { ...plain, password, register: register === 1 };
}

function passwordPlace(accountId: string): SecretPlace {
  return { table: 'sip_trunks', column: 'sealed_password', row: accountId };
}
