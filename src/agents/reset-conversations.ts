import { type Actor, audit } from '../store/people/audit-log.ts';
import { type AgentDomain, requireAgent } from './agent-domain.ts';

/**
 * Drops the conversations of an agent's model and returns the number of dropped sessions: 0, since the gateway calls no
 * model yet. Throws `agent_not_found`.
 */
export async function resetConversations(
  { store, clock }: AgentDomain,
  actor: Actor,
  agentId: string,
): Promise<number> {
  return await store.db.transaction().execute(async (trx) => {
    await requireAgent(trx, actor.accountId, agentId);
    await audit(trx, actor, {
      action: 'agent.reset_conversations',
      subject: agentId,
      detail: {},
      createdAt: clock.nowIso(),
    });
    return 0;
  });
}
