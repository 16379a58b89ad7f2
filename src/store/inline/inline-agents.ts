import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Db, Row } from '../database/rows.ts';
import type { StoredEvent } from '../messages/events.ts';

/** An agent with a model, and how far its feed has been read. */
export interface InlineAgent
  extends Pick<Row<'agentProviders'>, 'agentId' | 'feedPosition' | 'keyRefusals' | 'eventFilter'> {
  readonly accountId: string;
}

/** Returns the accounts that have agents with a model. */
export async function listInlineAccounts(db: Db): Promise<string[]> {
  const rows = await inlineAgents(db).select('agents.accountId').distinct().execute();
  return rows.map(({ accountId }) => accountId);
}

export async function listInlineAgents(db: Db, accountId: string): Promise<InlineAgent[]> {
  return await inlineAgents(db)
    .select(['agentId', 'accountId', 'feedPosition', 'keyRefusals', 'eventFilter'])
    .where('accountId', '=', accountId)
    .execute();
}

function inlineAgents(db: Db) {
  return db.selectFrom('agentProviders').innerJoin('agents', 'agents.id', 'agentProviders.agentId');
}

/** An agent with events that have not been read, and how many of its deliveries wait. */
export interface AgentWithNews extends InlineAgent {
  readonly queued: number;
}

export async function listAgentsWithNews(db: Db, accountId: string): Promise<AgentWithNews[]> {
  return (await agentsWithNews(db, { accountId })).rows;
}

const agentsWithNews = prepared((db, { accountId }: Pick<InlineAgent, 'accountId'>) =>
  inlineAgents(db)
    .select(['agentId', 'accountId', 'feedPosition', 'keyRefusals', 'eventFilter'])
    .select(({ selectFrom, fn }) =>
      selectFrom('deliveries')
        .select(fn.countAll<number>().as('count'))
        .whereRef('deliveries.agentId', '=', 'agents.id')
        .where('status', '=', 'queued')
        .$asScalar()
        .$notNull()
        .as('queued'),
    )
    .where('accountId', '=', accountId)
    .where(({ eb, selectFrom, fn }) => {
      const newest = selectFrom('events').select(fn.max<number>('id').as('newest'));
      return eb('feedPosition', '<', newest.whereRef('events.agentId', '=', 'agents.id'));
    }),
);

/** Returns the events of an agent's feed after its position, oldest first. Does not look at events of others. */
export async function unreadEvents(db: Db, agent: InlineAgent, limit: number): Promise<StoredEvent[]> {
  const { agentId, feedPosition } = agent;
  return (await unread(db, { agentId, feedPosition, limit })).rows;
}

const unread = prepared(
  (
    db,
    {
      agentId,
      feedPosition,
      limit,
    }: Pick<InlineAgent, 'agentId' | 'feedPosition'> & { readonly limit: number },
  ) =>
    db
      .selectFrom('events')
      .selectAll()
      .where('agentId', '=', agentId)
      .where('id', '>', feedPosition)
      .orderBy('id')
      .limit(limit),
);

/** Counts a refusal of the key. Returns the number of refusals in a row. */
export async function countKeyRefusal(db: Db, agentId: string): Promise<number> {
  const row = await db
    .updateTable('agentProviders')
    .set({ keyRefusals: sql<number>`key_refusals + 1` })
    .where('agentId', '=', agentId)
    .returning('keyRefusals')
    .executeTakeFirst();
  return row?.keyRefusals ?? 0;
}

/** The key works. */
export async function clearKeyRefusals(db: Db, agentId: string): Promise<void> {
  await clearRefusals(db, { agentId });
}

const clearRefusals = prepared((db, { agentId }: Pick<InlineAgent, 'agentId'>) =>
  db
    .updateTable('agentProviders')
    .set({ keyRefusals: 0 })
    .where('agentId', '=', agentId)
    .where('keyRefusals', '>', 0),
);
