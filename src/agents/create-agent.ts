import { assertBelow, CAPS } from '../accounts/account/caps.ts';
import { ensureDefaultAgent } from '../accounts/account/default-agent.ts';
import { newId } from '../base/ids.ts';
import { insertAgent } from '../store/agents/agents.ts';
import { countAgents } from '../store/people/account-counts.ts';
import { type Actor, audit } from '../store/people/audit-log.ts';
import type { AgentDomain } from './agent-domain.ts';
import { type AgentView, viewFollowed } from './list-agents.ts';

/** Creates an agent without members; ensures that the account has a default agent. Throws `cap_reached`. */
export async function createAgent(domain: AgentDomain, actor: Actor, name: string): Promise<AgentView> {
  const { accountId } = actor;
  const id = newId('agt');
  const createdAt = domain.clock.nowIso();
  await domain.store.db.transaction().execute(async (trx) => {
    await ensureDefaultAgent(trx, accountId, createdAt);
    assertBelow(CAPS.agents, await countAgents(trx, accountId), 'agents');
    await insertAgent(trx, { id, accountId, name, isDefault: false, createdAt });
    await audit(trx, actor, { action: 'agent.create', subject: id, detail: { name }, createdAt });
  });
  return await viewFollowed(domain, accountId, id);
}
