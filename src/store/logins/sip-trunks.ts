import type { Selectable } from 'kysely';
import { bit } from '../database/column-types.ts';
import type { Db } from '../database/tables.ts';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import type { SipTrunksTable } from './login-tables.ts';

type Encoded = 'sealedPassword' | 'sealedInboundToken' | 'register' | 'behindNat' | 'createdAt' | 'updatedAt';

/** A trunk with its secrets in plain text. In memory only; never logged. */
export interface StoredTrunk extends Omit<Selectable<SipTrunksTable>, Encoded> {
  readonly password: string;
  readonly inboundToken: string;
  readonly register: boolean;
  readonly behindNat: boolean;
}

/** Adds or replaces the account's trunk. */
export async function putTrunk(
  db: Db,
  secrets: SecretBox,
  trunk: StoredTrunk,
  nowIso: string,
): Promise<void> {
  const { accountId, password, inboundToken, register, behindNat, ...plain } = trunk;
  const changed = {
    ...plain,
    register: bit(register),
    behindNat: bit(behindNat),
    sealedPassword: secrets.seal(password, place(accountId, 'sealed_password')),
    sealedInboundToken: secrets.seal(inboundToken, place(accountId, 'sealed_inbound_token')),
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

/** Adds a token to every trunk without one, stored by a version without tokens. */
export async function fillInboundTokens(db: Db, secrets: SecretBox, newToken: () => string): Promise<void> {
  const rows = await db
    .selectFrom('sipTrunks')
    .select('accountId')
    .where('sealedInboundToken', 'is', null)
    .execute();
  for (const { accountId } of rows) {
    const sealedInboundToken = secrets.seal(newToken(), place(accountId, 'sealed_inbound_token'));
    await db
      .updateTable('sipTrunks')
      .set({ sealedInboundToken })
      .where('accountId', '=', accountId)
      .execute();
  }
}

/** Returns false if there was none. */
export async function deleteTrunk(db: Db, accountId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sipTrunks')
    .where('accountId', '=', accountId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

function fromRow(row: Selectable<SipTrunksTable>, secrets: SecretBox): StoredTrunk {
  const { sealedPassword, sealedInboundToken, createdAt: _createdAt, updatedAt: _updatedAt, ...plain } = row;
  return {
    ...plain,
    password: secrets.open(sealedPassword, place(row.accountId, 'sealed_password')),
    inboundToken:
      sealedInboundToken === null
        ? ''
        : secrets.open(sealedInboundToken, place(row.accountId, 'sealed_inbound_token')),
    register: row.register === 1,
    behindNat: row.behindNat === 1,
  };
}

function place(row: string, column: 'sealed_password' | 'sealed_inbound_token'): SecretPlace {
  return { table: 'sip_trunks', column, row };
}
