import type { Insertable, Selectable } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { ModelTurnsTable } from './inline-tables.ts';

export type ModelTurnRow = Pick<Selectable<ModelTurnsTable>, 'role' | 'text'>;

/** Appends to the gateway's transcript of a conversation. Does nothing if the conversation is gone. */
export async function appendModelTurns(db: Db, turns: readonly Insertable<ModelTurnsTable>[]): Promise<void> {
  for (const { accountId, conversationId, deliveryId = null, role, text, createdAt } of turns) {
    await db
      .insertInto('modelTurns')
      .columns(['accountId', 'conversationId', 'deliveryId', 'role', 'text', 'createdAt'])
      .expression((query) =>
        query
          .selectFrom('modelConversations')
          .select(({ val }) => [
            val(accountId).as('accountId'),
            'id as conversationId',
            val(deliveryId).as('deliveryId'),
            val(role).as('role'),
            val(text).as('text'),
            val(createdAt).as('createdAt'),
          ])
          .where('id', '=', conversationId),
      )
      .execute();
  }
}

/** Returns the newest turns of a conversation, oldest first. */
export async function newestModelTurns(
  db: Db,
  conversationId: number,
  limit: number,
): Promise<ModelTurnRow[]> {
  const rows = await db
    .selectFrom('modelTurns')
    .select(['role', 'text'])
    .where('conversationId', '=', conversationId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.reverse();
}

/** Replaces the reply of a turn by what was heard of it. */
export async function replaceReply(db: Db, deliveryId: string, text: string): Promise<void> {
  await db
    .updateTable('modelTurns')
    .set({ text })
    .where('deliveryId', '=', deliveryId)
    .where('role', '=', 'assistant')
    .execute();
}

/** Deletes those of the `limit` oldest turns that are from before a time. Returns their number. */
export async function deleteOldestModelTurns(db: Db, before: string, limit: number): Promise<number> {
  const oldest = db.selectFrom('modelTurns').select(['id', 'createdAt']).orderBy('id').limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('modelTurns')
    .where('id', 'in', (query) =>
      query.selectFrom(oldest.as('oldest')).select('oldest.id').where('oldest.createdAt', '<', before),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
