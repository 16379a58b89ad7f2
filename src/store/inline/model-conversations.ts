import { prepared } from '../database/prepared.ts';
import { changeRows, type Db, findRow, type Row } from '../database/rows.ts';
import type { StoredMemory } from './inline-tables.ts';

export type ModelConversation = Row<'modelConversations'>;

/** Which conversation or call of which agent, under which configuration of its model. */
export type ConversationPlace = Pick<ModelConversation, 'accountId' | 'agentId' | 'lane' | 'configHash'>;

/**
 * Returns an agent's conversation, which is made if there is none. Under another configuration than before, it has no
 * memory.
 */
export async function openModelConversation(
  db: Db,
  place: ConversationPlace,
  nowIso: string,
): Promise<ModelConversation> {
  const { agentId, lane, configHash } = place;
  // A look takes less than a write, which every commit waits for.
  const known = await findRow(db, 'modelConversations', { agentId, lane, configHash });
  return known ?? (await opened(db, { ...place, nowIso })).rows[0]!;
}

const opened = prepared(
  (db, { accountId, agentId, lane, configHash, nowIso }: ConversationPlace & { readonly nowIso: string }) =>
    db
      .insertInto('modelConversations')
      .values({
        ...{ accountId, agentId, lane, configHash },
        memory: null,
        createdAt: nowIso,
        updatedAt: nowIso,
      })
      .onConflict((conflict) =>
        conflict.columns(['agentId', 'lane']).doUpdateSet((query) => ({
          memory: query
            .case()
            .when('modelConversations.configHash', '=', configHash)
            .then(query.ref('modelConversations.memory'))
            .else(null)
            .end(),
          configHash,
          updatedAt: nowIso,
        })),
      )
      .returningAll(),
);

/**
 * Stores where the provider keeps a conversation. Returns false if the conversation is gone or has another
 * configuration by now.
 */
export async function setMemory(
  db: Db,
  { id, configHash }: Pick<ModelConversation, 'id' | 'configHash'>,
  memory: StoredMemory | null,
  nowIso: string,
): Promise<boolean> {
  return await changeRows(db, 'modelConversations', { id, configHash }, { memory, updatedAt: nowIso });
}

/** Returns where the provider keeps an agent's conversations, newest first. */
export async function listMemories(db: Db, agentId: string, limit: number): Promise<StoredMemory[]> {
  const rows = await db
    .selectFrom('modelConversations')
    .select('memory')
    .where('agentId', '=', agentId)
    .where('memory', 'is not', null)
    .orderBy('updatedAt', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ memory }) => memory).filter((memory) => memory !== null);
}

/** Forgets where the provider keeps an agent's conversations. The gateway's own transcripts stay. */
export async function dropMemories(db: Db, agentId: string): Promise<void> {
  await changeRows(db, 'modelConversations', { agentId }, { memory: null, configHash: '' });
}
