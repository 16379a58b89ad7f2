import type { AgentScope } from '../../base/scope.ts';
import type { Db } from '../database/rows.ts';

/** An agent as shown in a conversation. */
export interface NamedAgent {
  readonly id: string;
  readonly name: string;
}

/**
 * Returns the scope's agents that have the platform accounts of these conversations, by conversation, oldest agent
 * first.
 */
export async function listConversationAgents(
  db: Db,
  { agentIds }: AgentScope,
  conversationIds: readonly string[],
): Promise<Map<string, NamedAgent[]>> {
  const rows = await db
    .selectFrom('conversations')
    .innerJoin('agentAccounts', (join) =>
      join
        .onRef('agentAccounts.memberType', '=', 'conversations.memberType')
        .onRef('agentAccounts.memberId', '=', 'conversations.memberId'),
    )
    .innerJoin('agents', 'agents.id', 'agentAccounts.agentId')
    .select(['conversations.id as conversationId', 'agents.id', 'agents.name'])
    .where('conversations.id', 'in', conversationIds)
    .where('agents.id', 'in', agentIds)
    .orderBy('agents.createdAt')
    .orderBy('agents.id')
    .execute();
  const grouped = Map.groupBy(rows, (row) => row.conversationId);
  return new Map(
    Array.from(grouped, ([id, own]) => [id, own.map((agent) => ({ id: agent.id, name: agent.name }))]),
  );
}

/** Returns agents by id, of any account. */
export async function listNamedAgents(db: Db, agentIds: readonly string[]): Promise<Map<string, NamedAgent>> {
  if (agentIds.length === 0) return new Map();
  const rows = await db.selectFrom('agents').select(['id', 'name']).where('id', 'in', agentIds).execute();
  return new Map(rows.map((agent) => [agent.id, agent]));
}
