import { updateAgentName } from '../store/agents.ts';
import { type Actor, audit } from '../store/audit-log.ts';
import { type AgentDomain, requireAgent } from './agent-domain.ts';
import { type AgentView, viewAgent } from './list-agents.ts';

/** Gives any agent another name, the default one too. Throws `agent_not_found`. */
export async function renameAgent(
  { store, clock }: AgentDomain,
  actor: Actor,
  agentId: string,
  name: string,
): Promise<AgentView> {
  return await store.db.transaction().execute(async (trx) => {
    const former = await requireAgent(trx, actor.accountId, agentId);
    await updateAgentName(trx, agentId, name);
    await audit(trx, actor, 'agent.rename', agentId, { from: former.name, to: name }, clock.nowIso());
    return await viewAgent(trx, actor.accountId, agentId);
  });
}
