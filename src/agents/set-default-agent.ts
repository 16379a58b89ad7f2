import { moveDefault } from '../store/agents/agents.ts';
import { type Actor, audit } from '../store/people/audit-log.ts';
import { type AgentDomain, requireAgent } from './agent-domain.ts';
import { type AgentView, viewFollowed } from './list-agents.ts';

/** Makes an agent the default one, which everything connected from now on joins. Throws `agent_not_found`. */
export async function setDefaultAgent(
  domain: AgentDomain,
  actor: Actor,
  agentId: string,
): Promise<AgentView> {
  await domain.store.db.transaction().execute(async (trx) => {
    const { isDefault } = await requireAgent(trx, actor.accountId, agentId);
    if (isDefault) return;
    await moveDefault(trx, actor.accountId, agentId);
    await audit(trx, actor, {
      action: 'agent.set_default',
      subject: agentId,
      detail: {},
      createdAt: domain.clock.nowIso(),
    });
  });
  return await viewFollowed(domain, actor.accountId, agentId);
}
