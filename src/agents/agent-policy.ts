import { type AgentPolicy, findPolicy } from '../store/agents/agent-policies.ts';
import { putRow } from '../store/database/rows.ts';
import { type Actor, audit } from '../store/people/audit-log.ts';
import { type AgentDomain, requireAgent } from './agent-domain.ts';

/** Fields left out keep their value. */
export type PolicyChange = { readonly [Field in keyof AgentPolicy]?: AgentPolicy[Field] | undefined };

/** Returns what an agent's model may do. Throws `agent_not_found`. */
export async function getPolicy(
  { store }: AgentDomain,
  accountId: string,
  agentId: string,
): Promise<AgentPolicy> {
  await requireAgent(store.db, accountId, agentId);
  return await findPolicy(store.db, agentId);
}

/** Changes what an agent's model may do, from its next action on. Throws `agent_not_found`. */
export async function changePolicy(
  { store, clock }: AgentDomain,
  actor: Actor,
  agentId: string,
  change: PolicyChange,
): Promise<AgentPolicy> {
  return await store.db.transaction().execute(async (trx) => {
    await requireAgent(trx, actor.accountId, agentId);
    const policy = merged(await findPolicy(trx, agentId), change);
    await putRow(
      trx,
      'agentPolicies',
      { agentId, ...policy, updatedAt: clock.nowIso() },
      { key: ['agentId'] },
    );
    await audit(trx, actor, { action: 'agent.policy', subject: agentId, detail: { ...policy } });
    return policy;
  });
}

function merged(former: AgentPolicy, change: PolicyChange): AgentPolicy {
  const { callsTo = former.callsTo, newConversations = former.newConversations } = change;
  const { actionsPerTurn = former.actionsPerTurn, readingTools = former.readingTools } = change;
  return { callsTo, newConversations, actionsPerTurn, readingTools };
}
