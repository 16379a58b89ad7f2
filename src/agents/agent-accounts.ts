import { GatewayError } from '../base/errors.ts';
import { agentsOfMember, detachMember } from '../store/agents/agent-members.ts';
import { attachMember, type Member } from '../store/agents/agents.ts';
import { ownsMember } from '../store/logins/platform-accounts.ts';
import { type Actor, audit } from '../store/people/audit-log.ts';
import { type AgentDomain, requireAgent } from './agent-domain.ts';
import { type AgentView, viewFollowed } from './list-agents.ts';

/** Adds a platform account to an agent. Idempotent. Throws `agent_not_found`, `member_not_found`. */
export async function attachAccount(
  domain: AgentDomain,
  actor: Actor,
  agentId: string,
  member: Member,
): Promise<AgentView> {
  const { accountId } = actor;
  await domain.store.db.transaction().execute(async (trx) => {
    await requireAgent(trx, accountId, agentId);
    if (!(await ownsMember(trx, accountId, member))) throw new GatewayError('member_not_found');
    if ((await agentsOfMember(trx, member)).includes(agentId)) return;
    await attachMember(trx, agentId, member);
    await audit(trx, actor, {
      action: 'agent.attach_account',
      subject: agentId,
      detail: { ...member },
      createdAt: domain.clock.nowIso(),
    });
  });
  return await viewFollowed(domain, accountId, agentId);
}

/** Removes a platform account from an agent. Throws `agent_not_found`, `member_not_found`, `would_orphan`. */
export async function detachAccount(
  domain: AgentDomain,
  actor: Actor,
  agentId: string,
  member: Member,
): Promise<AgentView> {
  const { accountId } = actor;
  await domain.store.db.transaction().execute(async (trx) => {
    await requireAgent(trx, accountId, agentId);
    const agentIds = await agentsOfMember(trx, member);
    if (!agentIds.includes(agentId)) throw new GatewayError('member_not_found');
    if (agentIds.length === 1)
      throw new GatewayError('would_orphan', 'This is the only agent of the account');
    await detachMember(trx, agentId, member);
    await audit(trx, actor, {
      action: 'agent.detach_account',
      subject: agentId,
      detail: { ...member },
      createdAt: domain.clock.nowIso(),
    });
  });
  return await viewFollowed(domain, accountId, agentId);
}
