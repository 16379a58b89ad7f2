import type { Insertable, Selectable } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Db } from '../database/tables.ts';
import type { ModelTurnsTable } from './inline-tables.ts';

export type ModelTurnRow = Pick<Selectable<ModelTurnsTable>, 'role' | 'text'>;

/** Appends to the gateway's transcript of a conversation. Does nothing if the conversation is gone. */
export async function appendModelTurns(db: Db, turns: readonly Insertable<ModelTurnsTable>[]): Promise<void> {
  for (const turn of turns) await append(db, { ...turn, deliveryId: turn.deliveryId ?? null });
}

type WholeTurn = Omit<Selectable<ModelTurnsTable>, 'id'>;

const append = prepared((db, { accountId, conversationId, deliveryId, role, text, createdAt }: WholeTurn) =>
  db
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
    ),
);

/** Returns the newest turns of a conversation, oldest first. */
export async function newestModelTurns(
  db: Db,
  conversationId: number,
  limit: number,
): Promise<ModelTurnRow[]> {
  const { rows } = await newest(db, { conversationId, limit });
  return rows.reverse();
}

const newest = prepared(
  (db, { conversationId, limit }: { readonly conversationId: number; readonly limit: number }) =>
    db
      .selectFrom('modelTurns')
      .select(['role', 'text'])
      .where('conversationId', '=', conversationId)
      .orderBy('id', 'desc')
      .limit(limit),
);

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
