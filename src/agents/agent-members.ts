import { assertBelow, CAPS } from '../accounts/account/caps.ts';
import { type IssuedKey, issueKey } from '../accounts/keys/api-keys.ts';
import { GatewayError } from '../base/errors.ts';
import { agentsOfMember } from '../store/agents/agent-members.ts';
import { attachMember, type Member } from '../store/agents/agents.ts';
import { type Db, deleteRows, insertNewRow } from '../store/database/rows.ts';
import { findKey, type ValidKey } from '../store/keys/keys.ts';
import { ownsMember } from '../store/logins/platform-accounts.ts';
import { countKeyPlaces } from '../store/people/account-counts.ts';
import type { Actor } from '../store/people/audit-log.ts';
import { type AgentDomain, requireAgent } from './agent-domain.ts';
import { alterAgent } from './change-agent.ts';
import type { AgentView } from './list-agents.ts';

/** Creates an agent key in one agent. Throws `agent_not_found`, `email_not_verified`, `cap_reached`. */
export async function mintAgentKey(
  { store, keys, clock }: AgentDomain,
  actor: Actor,
  agentId: string,
  name: string,
): Promise<IssuedKey> {
  const issued = await store.db.transaction().execute(async (trx) => {
    await requireAgent(trx, actor.accountId, agentId);
    return await issueKey(trx, actor, { kind: 'agent', name, agentIds: [agentId] }, clock.nowIso());
  });
  await keys.refresh(actor.accountId);
  return issued;
}

/** Adds a key to an agent. Idempotent. Throws `agent_not_found`, `key_not_found`, `cap_reached`. */
export async function attachAgentKey(
  domain: AgentDomain,
  actor: Actor,
  agentId: string,
  keyId: string,
): Promise<AgentView> {
  const { accountId } = actor;
  return await alterAgent(domain, actor, { agentId, action: 'agent.attach_key' }, async (trx) => {
    const { agentIds } = await requireAgentKey(trx, accountId, keyId);
    if (agentIds.includes(agentId)) return null;
    const places = await countKeyPlaces(trx, accountId);
    assertBelow(CAPS.keyPlaces, places, 'keys in agents, each counted in every agent');
    await insertNewRow(trx, 'agentKeys', { agentId, keyId });
    return { keyId };
  });
}

/** Removes a key from an agent. Throws `agent_not_found`, `key_not_found`, `would_orphan`. */
export async function detachAgentKey(
  domain: AgentDomain,
  actor: Actor,
  agentId: string,
  keyId: string,
): Promise<AgentView> {
  return await alterAgent(domain, actor, { agentId, action: 'agent.detach_key' }, async (trx) => {
    const { agentIds } = await requireAgentKey(trx, actor.accountId, keyId);
    if (!agentIds.includes(agentId)) throw new GatewayError('key_not_found');
    if (agentIds.length === 1) throw new GatewayError('would_orphan', 'This is the only agent of the key');
    await deleteRows(trx, 'agentKeys', { agentId, keyId });
    return { keyId };
  });
}

/** Adds a platform account to an agent. Idempotent. Throws `agent_not_found`, `member_not_found`. */
export async function attachAccount(
  domain: AgentDomain,
  actor: Actor,
  agentId: string,
  member: Member,
): Promise<AgentView> {
  const { accountId } = actor;
  return await alterAgent(domain, actor, { agentId, action: 'agent.attach_account' }, async (trx) => {
    if (!(await ownsMember(trx, accountId, member))) throw new GatewayError('member_not_found');
    if ((await agentsOfMember(trx, member)).includes(agentId)) return null;
    await attachMember(trx, agentId, member);
    return { ...member };
  });
}

/** Removes a platform account from an agent. Throws `agent_not_found`, `member_not_found`, `would_orphan`. */
export async function detachAccount(
  domain: AgentDomain,
  actor: Actor,
  agentId: string,
  member: Member,
): Promise<AgentView> {
  return await alterAgent(domain, actor, { agentId, action: 'agent.detach_account' }, async (trx) => {
    const agentIds = await agentsOfMember(trx, member);
    if (!agentIds.includes(agentId)) throw new GatewayError('member_not_found');
    if (agentIds.length === 1)
      throw new GatewayError('would_orphan', 'This is the only agent of the account');
    const { type: memberType, id: memberId } = member;
    await deleteRows(trx, 'agentAccounts', { agentId, memberType, memberId });
    return { ...member };
  });
}

/**
 * Returns the account's agent key with this id. Settings keys act for no agent, so they are not found. Throws
 * `key_not_found`.
 */
async function requireAgentKey(db: Db, accountId: string, keyId: string): Promise<ValidKey> {
  const key = await findKey(db, accountId, 'agent', keyId);
  if (!key) throw new GatewayError('key_not_found');
  return key;
}
