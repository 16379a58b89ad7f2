import { assertBelow, CAPS } from '../accounts/account/caps.ts';
import { type IssuedKey, issueKey } from '../accounts/keys/issue-key.ts';
import { GatewayError } from '../base/errors.ts';
import { detachKey } from '../store/agents/agent-members.ts';
import { attachKey } from '../store/agents/agents.ts';
import type { Db } from '../store/database/tables.ts';
import { findKey, type ValidKey } from '../store/keys/keys.ts';
import { countKeyPlaces } from '../store/people/account-counts.ts';
import { type Actor, audit } from '../store/people/audit-log.ts';
import { type AgentDomain, requireAgent } from './agent-domain.ts';
import { type AgentView, viewFollowed } from './list-agents.ts';

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
  await domain.store.db.transaction().execute(async (trx) => {
    await requireAgent(trx, actor.accountId, agentId);
    const { agentIds } = await requireAgentKey(trx, actor.accountId, keyId);
    if (agentIds.includes(agentId)) return;
    const places = await countKeyPlaces(trx, actor.accountId);
    assertBelow(CAPS.keyPlaces, places, 'keys in agents, each counted in every agent');
    await attachKey(trx, agentId, keyId);
    await audit(trx, actor, {
      action: 'agent.attach_key',
      subject: agentId,
      detail: { keyId },
      createdAt: domain.clock.nowIso(),
    });
  });
  return await viewFollowed(domain, actor.accountId, agentId);
}

/** Removes a key from an agent. Throws `agent_not_found`, `key_not_found`, `would_orphan`. */
export async function detachAgentKey(
  domain: AgentDomain,
  actor: Actor,
  agentId: string,
  keyId: string,
): Promise<AgentView> {
  await domain.store.db.transaction().execute(async (trx) => {
    await requireAgent(trx, actor.accountId, agentId);
    const { agentIds } = await requireAgentKey(trx, actor.accountId, keyId);
    if (!agentIds.includes(agentId)) throw new GatewayError('key_not_found');
    if (agentIds.length === 1) throw new GatewayError('would_orphan', 'This is the only agent of the key');
    await detachKey(trx, agentId, keyId);
    await audit(trx, actor, {
      action: 'agent.detach_key',
      subject: agentId,
      detail: { keyId },
      createdAt: domain.clock.nowIso(),
    });
  });
  return await viewFollowed(domain, actor.accountId, agentId);
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
