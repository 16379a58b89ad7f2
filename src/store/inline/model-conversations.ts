import type { Selectable } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Db } from '../database/tables.ts';
import type { ModelConversationsTable } from './inline-tables.ts';

/** Where a provider keeps a conversation. */
export type StoredMemory = Readonly<Record<string, string>>;

export interface ModelConversation extends Omit<Selectable<ModelConversationsTable>, 'memory'> {
  readonly memory: StoredMemory | null;
}

/** Which conversation or call of which agent, under which configuration of its model. */
export type ConversationPlace = Pick<
  Selectable<ModelConversationsTable>,
  'accountId' | 'agentId' | 'lane' | 'configHash'
>;

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
  const known = await found(db, { agentId, lane, configHash });
  const [row] = known.rows.length > 0 ? known.rows : (await opened(db, { ...place, nowIso })).rows;
  return fromRow(row!);
}

/** A look takes less than a write, which every commit waits for. */
const found = prepared((db, { agentId, lane, configHash }: Omit<ConversationPlace, 'accountId'>) =>
  db
    .selectFrom('modelConversations')
    .selectAll()
    .where('agentId', '=', agentId)
    .where('lane', '=', lane)
    .where('configHash', '=', configHash),
);

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
  const stored = { id, configHash, memory: memory && JSON.stringify(memory), updatedAt: nowIso };
  const { numAffectedRows = 0n } = await storeMemory(db, stored);
  return numAffectedRows > 0n;
}

const storeMemory = prepared(
  (
    db,
    {
      id,
      configHash,
      memory,
      updatedAt,
    }: Pick<Selectable<ModelConversationsTable>, 'id' | 'configHash' | 'memory' | 'updatedAt'>,
  ) =>
    db
      .updateTable('modelConversations')
      .set({ memory, updatedAt })
      .where('id', '=', id)
      .where('configHash', '=', configHash),
);

/** Returns where the provider keeps an agent's conversations, newest first. */
export async function listMemories(db: Db, agentId: string, limit: number): Promise<StoredMemory[]> {
  const rows = await db
    .selectFrom('modelConversations')
    .selectAll()
    .where('agentId', '=', agentId)
    .where('memory', 'is not', null)
    .orderBy('updatedAt', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => fromRow(row).memory).filter((memory) => memory !== null);
}

/** Forgets where the provider keeps an agent's conversations. The gateway's own transcripts stay. */
export async function dropMemories(db: Db, agentId: string): Promise<void> {
  await db
    .updateTable('modelConversations')
    .set({ memory: null, configHash: '' })
    .where('agentId', '=', agentId)
    .execute();
}

/** Deletes an agent's conversations with their transcripts. */
export async function deleteModelConversations(db: Db, agentId: string): Promise<void> {
  await db.deleteFrom('modelConversations').where('agentId', '=', agentId).execute();
}

function fromRow(row: Selectable<ModelConversationsTable>): ModelConversation {
  return { ...row, memory: row.memory === null ? null : JSON.parse(row.memory) };
}
