import type { Selectable } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { BotOwnersTable, OwnerCodesTable } from './login-tables.ts';

/** Sets a bot's owner and replaces the former one. */
export async function putBotOwner(db: Db, owner: Selectable<BotOwnersTable>): Promise<void> {
  const { botId: _botId, ...changed } = owner;
  await db
    .insertInto('botOwners')
    .values(owner)
    .onConflict((conflict) => conflict.column('botId').doUpdateSet(changed))
    .execute();
}

/** Sets a bot's one-time code and replaces the former one. */
export async function putOwnerCode(db: Db, code: Selectable<OwnerCodesTable>): Promise<void> {
  const { botId: _botId, ...changed } = code;
  await db
    .insertInto('ownerCodes')
    .values(code)
    .onConflict((conflict) => conflict.column('botId').doUpdateSet(changed))
    .execute();
}

/** Returns the bot's code with this hash, used or not. Undefined: no such code, or it has expired. */
export async function findOwnerCode(
  db: Db,
  botId: string,
  codeHash: string,
  nowIso: string,
): Promise<Selectable<OwnerCodesTable> | undefined> {
  return await db
    .selectFrom('ownerCodes')
    .selectAll()
    .where('botId', '=', botId)
    .where('codeHash', '=', codeHash)
    .where('expiresAt', '>', nowIso)
    .executeTakeFirst();
}

/** `usedBy`: the person's id on the platform. */
export async function useOwnerCode(db: Db, botId: string, usedBy: string): Promise<void> {
  await db.updateTable('ownerCodes').set({ usedBy }).where('botId', '=', botId).execute();
}
