import { type Actor, audit } from '../store/people/audit-log.ts';
import { type AgentDomain, requireAgent } from './agent-domain.ts';

/**
 * Forgets what an agent's model remembers of its conversations, and returns how many sessions were dropped. The
 * gateway calls no model yet, so none has a session. Throws `agent_not_found`.
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
