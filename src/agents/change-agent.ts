import { assertBelow, CAPS } from '../accounts/account/caps.ts';
import { ensureDefaultAgent } from '../accounts/account/default-agent.ts';
import type { Limits } from '../accounts/budgets/budget.ts';
import { GatewayError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { hasSoleMembers } from '../store/agents/agent-members.ts';
import { type Agent, insertAgent, moveDefault } from '../store/agents/agents.ts';
import { deleteInternalBearer } from '../store/agents/internal-bearers.ts';
import { changeRows, countRows, type Db, deleteRows, findRow, putRow } from '../store/database/rows.ts';
import { type Actor, type AuditAction, type AuditDetail, audit } from '../store/people/audit-log.ts';
import { type AgentDomain, followMembers, requireAgent } from './agent-domain.ts';
import { type AgentView, viewAgent, viewFollowed } from './list-agents.ts';

/** Creates an agent without members; ensures that the account has a default agent. Throws `cap_reached`. */
export async function createAgent(domain: AgentDomain, actor: Actor, name: string): Promise<AgentView> {
  const { accountId } = actor;
  const id = newId('agt');
  const createdAt = domain.clock.nowIso();
  await domain.store.db.transaction().execute(async (trx) => {
    await ensureDefaultAgent(trx, accountId, createdAt);
    assertBelow(CAPS.agents, await countRows(trx, 'agents', { accountId }), 'agents');
    await insertAgent(trx, { id, accountId, name, isDefault: false, createdAt });
    await audit(trx, actor, { action: 'agent.create', subject: id, detail: { name } });
  });
  return await viewFollowed(domain, accountId, id);
}

/** The agent to change and the name of the change in the audit log. */
interface AgentAction {
  readonly agentId: string;
  readonly action: AuditAction;
}

/**
 * Changes an agent or its members in one transaction and applies the change. `change` returns the detail for the audit
 * log, or null when there was nothing to change. Throws `agent_not_found`.
 */
export async function alterAgent(
  domain: AgentDomain,
  actor: Actor,
  { agentId, action }: AgentAction,
  change: (trx: Db, former: Agent) => Promise<AuditDetail | null>,
): Promise<AgentView> {
  await domain.store.db.transaction().execute(async (trx) => {
    const detail = await change(trx, await requireAgent(trx, actor.accountId, agentId));
    if (detail === null) return;
    await audit(trx, actor, { action, subject: agentId, detail });
  });
  return await viewFollowed(domain, actor.accountId, agentId);
}

/** Makes an agent the default one, which everything connected from now on joins. Throws `agent_not_found`. */
export async function setDefaultAgent(
  domain: AgentDomain,
  actor: Actor,
  agentId: string,
): Promise<AgentView> {
  return await alterAgent(domain, actor, { agentId, action: 'agent.set_default' }, async (trx, former) => {
    if (former.isDefault) return null;
    await moveDefault(trx, actor.accountId, agentId);
    return {};
  });
}

/** What an owner may change of an agent. Fields left out keep their value. */
export type AgentChange = {
  readonly [Field in 'name' | 'timeoutText']?: Agent[Field] | undefined;
} & {
  /** Limits that replace the gateway's; null: the gateway's again. */
  readonly budget?: { readonly [Limit in keyof Limits]?: number | null | undefined } | undefined;
};

/**
 * Changes an agent's name, the text sent to people who get no answer in time, or its budget. Works for the default agent
 * too. Throws `agent_not_found`.
 */
export async function changeAgent(
  domain: AgentDomain,
  actor: Actor,
  agentId: string,
  { budget, ...change }: AgentChange,
): Promise<AgentView> {
  const { store } = domain;
  const view = await store.db.transaction().execute(async (trx) => {
    const former = await requireAgent(trx, actor.accountId, agentId);
    await changeRows(trx, 'agents', { id: agentId }, change);
    if (change.name !== undefined) {
      const detail = { from: former.name, to: change.name };
      await audit(trx, actor, { action: 'agent.rename', subject: agentId, detail });
    }
    // Without the text itself, which is private.
    if (change.timeoutText !== undefined)
      await audit(trx, actor, { action: 'agent.timeout_text', subject: agentId });
    if (budget !== undefined) await changeBudget(trx, actor, agentId, budget);
    return await viewAgent(trx, actor.accountId, agentId);
  });
  domain.budgets.setLimits(agentId, view.budget);
  return view;
}

async function changeBudget(
  trx: Db,
  actor: Actor,
  agentId: string,
  change: NonNullable<AgentChange['budget']>,
): Promise<void> {
  const former = (await findRow(trx, 'agentBudgets', { agentId }))?.limits;
  const all = Object.entries({ ...former, ...withoutGaps(change) });
  const limits = Object.fromEntries(all.filter((entry): entry is [string, number] => entry[1] !== null));
  await putRow(trx, 'agentBudgets', { agentId, limits }, { key: ['agentId'] });
  await audit(trx, actor, { action: 'agent.budget', subject: agentId, detail: limits });
}

function withoutGaps(change: NonNullable<AgentChange['budget']>): Readonly<Record<string, number | null>> {
  return Object.fromEntries(
    Object.entries(change).filter((entry): entry is [string, number | null] => entry[1] !== undefined),
  );
}

/**
 * Deletes an agent with its provider, deliveries and internal bearer, and ends its calls.
 * Throws `agent_not_found`, `agent_is_default`, `would_orphan`.
 */
export async function deleteAgent(domain: AgentDomain, actor: Actor, agentId: string): Promise<void> {
  const { accountId } = actor;
  await domain.store.db.transaction().execute(async (trx) => {
    const { isDefault, name } = await requireAgent(trx, accountId, agentId);
    if (isDefault) throw new GatewayError('agent_is_default');
    await domain.models.leaveConversations(trx, agentId);
    await domain.models.leaveTools(trx, agentId);
    await deleteInternalBearer(trx, agentId);
    if (await hasSoleMembers(trx, agentId)) throw new GatewayError('would_orphan');
    await deleteRows(trx, 'agents', { id: agentId });
    await audit(trx, actor, { action: 'agent.delete', subject: agentId, detail: { name } });
  });
  domain.budgets.setLimits(agentId, {});
  domain.endCalls(accountId, agentId);
  domain.models.dismiss(agentId);
  domain.models.forget();
  await followMembers(domain, accountId);
}

/**
 * Deletes the conversations of an agent's model, here and at its provider, and returns the number of those that the
 * provider had. Throws `agent_not_found`.
 */
export async function resetConversations(
  { store, models }: AgentDomain,
  actor: Actor,
  agentId: string,
): Promise<number> {
  const count = await store.db.transaction().execute(async (trx) => {
    await requireAgent(trx, actor.accountId, agentId);
    const left = await models.leaveConversations(trx, agentId);
    await deleteRows(trx, 'modelConversations', { agentId });
    await audit(trx, actor, { action: 'agent.reset_conversations', subject: agentId });
    return left;
  });
  models.forget();
  return count;
}
