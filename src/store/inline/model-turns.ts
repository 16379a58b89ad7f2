import type { Insertable } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Db, Row } from '../database/rows.ts';
import type { ModelTurnsTable } from './inline-tables.ts';

export type ModelTurnRow = Pick<Row<'modelTurns'>, 'role' | 'text'>;

/** Appends to the gateway's transcript of a conversation. Does nothing if the conversation is gone. */
export async function appendModelTurns(db: Db, turns: readonly Insertable<ModelTurnsTable>[]): Promise<void> {
  for (const turn of turns) await append(db, { ...turn, deliveryId: turn.deliveryId ?? null });
}

type WholeTurn = Omit<Row<'modelTurns'>, 'id'>;

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
