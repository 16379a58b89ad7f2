import { GatewayError } from '../base/errors.ts';
import { hasSoleMembers } from '../store/agents/agent-members.ts';
import { dropAgent } from '../store/agents/agents.ts';
import { deleteInternalBearer } from '../store/agents/internal-bearers.ts';
import { type Actor, audit } from '../store/people/audit-log.ts';
import { type AgentDomain, followMembers, requireAgent } from './agent-domain.ts';

/**
 * Deletes an agent with its provider, deliveries and internal bearer, and ends its calls.
 * Throws `agent_not_found`, `agent_is_default`, `would_orphan`.
 */
export async function deleteAgent(domain: AgentDomain, actor: Actor, agentId: string): Promise<void> {
  const { accountId } = actor;
  await domain.store.db.transaction().execute(async (trx) => {
    const { isDefault, name } = await requireAgent(trx, accountId, agentId);
    if (isDefault) throw new GatewayError('agent_is_default');
    await deleteInternalBearer(trx, agentId);
    if (await hasSoleMembers(trx, agentId)) throw new GatewayError('would_orphan');
    await dropAgent(trx, agentId);
    await audit(trx, actor, {
      action: 'agent.delete',
      subject: agentId,
      detail: { name },
      createdAt: domain.clock.nowIso(),
    });
  });
  domain.endCalls(accountId, agentId);
  await followMembers(domain, accountId);
}
