import type { AgentScope } from '../../base/scope.ts';
import type { Db } from '../database/rows.ts';
import { type Conversation, emptyConversation, insertConversation } from './conversations.ts';

/**
 * Opens the conversation of two agents about a task, creating it if there is none; either agent may have begun it. All
 * its messages are stored as `outbound`, from `senderAgentId`. Call it in a transaction.
 */
export async function openAgentConversation(
  db: Db,
  wanted: {
    readonly accountId: string;
    readonly agentId: string;
    readonly peerAgentId: string;
    readonly task: string;
  },
  nowIso: string,
): Promise<Conversation> {
  const { accountId, agentId, peerAgentId, task } = wanted;
  const known = await db
    .selectFrom('conversations')
    .selectAll()
    .where('task', '=', task)
    .where(({ eb, or, and }) =>
      or([
        and([eb('agentId', '=', agentId), eb('peerAgentId', '=', peerAgentId)]),
        and([eb('agentId', '=', peerAgentId), eb('peerAgentId', '=', agentId)]),
      ]),
    )
    .executeTakeFirst();
  if (known) return known;
  return await insertConversation(db, {
    ...emptyConversation(accountId, nowIso),
    platform: 'agent',
    agentId,
    peerAgentId,
    task,
    remoteId: peerAgentId,
  });
}

/**
 * Returns whether the conversation belongs to a probe: the gateway writes to an agent in its conversation with itself.
 */
export function isOfProbe({ agentId, peerAgentId }: Pick<Conversation, 'agentId' | 'peerAgentId'>): boolean {
  return agentId !== null && agentId === peerAgentId;
}

/** Returns the newest active probe conversation of the scope's agents. */
export async function findProbeConversation(
  db: Db,
  { agentIds }: AgentScope,
): Promise<Conversation | undefined> {
  return await db
    .selectFrom('conversations')
    .selectAll()
    .where('agentId', 'in', agentIds)
    .whereRef('agentId', '=', 'peerAgentId')
    .where('status', '=', 'active')
    .orderBy('lastSeq', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Closes all probe conversations of an account. They are then no longer found for writing. */
export async function closeProbeConversations(db: Db, accountId: string): Promise<void> {
  await db
    .updateTable('conversations')
    .set({ status: 'closed' })
    .where('accountId', '=', accountId)
    .where('status', '=', 'active')
    .whereRef('agentId', '=', 'peerAgentId')
    .execute();
}
