import { ensureDefaultAgent } from '../accounts/account/default-agent.ts';
import type { Limits } from '../accounts/budgets/budget.ts';
import { GatewayError } from '../base/errors.ts';
import { listBudgets } from '../store/agents/agent-budgets.ts';
import { type AgentKey, listAgentKeys, listMemberships } from '../store/agents/agent-members.ts';
import { listProviderNames } from '../store/agents/agent-providers.ts';
import { type Agent, listAgents } from '../store/agents/agents.ts';
import type { Db, Row } from '../store/database/rows.ts';
import { type ListedAuthorization, listAuthorizations } from '../store/keys/mcp-authorizations.ts';
import { listPlatformAccounts, type PlatformAccount } from '../store/logins/platform-accounts.ts';
import { type AgentDomain, followMembers } from './agent-domain.ts';

/** An agent with its members. */
export interface AgentView extends Agent {
  readonly provider: string | null;
  /** The limits that its owner has set. */
  readonly budget: Partial<Limits>;
  readonly keys: readonly AgentKey[];
  readonly oauthClients: readonly ListedAuthorization[];
  readonly accounts: readonly PlatformAccount[];
}

/** A platform account with the agents that it belongs to. */
export type Candidate = PlatformAccount & { readonly agentIds: readonly string[] };

/** Returns the account's agents, the default one first. Creates the default agent if needed. */
export async function listAgentViews({ store, clock }: AgentDomain, accountId: string): Promise<AgentView[]> {
  return await store.db.transaction().execute(async (trx) => {
    await ensureDefaultAgent(trx, accountId, clock.nowIso());
    return await viewAgents(trx, accountId);
  });
}

/** Returns one agent with its current members. Throws `agent_not_found`. */
export async function viewAgent(db: Db, accountId: string, agentId: string): Promise<AgentView> {
  const view = (await viewAgents(db, accountId)).find(({ id }) => id === agentId);
  if (!view) throw new GatewayError('agent_not_found');
  return view;
}

/**
 * Applies a committed change to keys and phone numbers (`followMembers`), then returns the agent. Throws
 * `agent_not_found` when it was deleted meanwhile.
 */
export async function viewFollowed(
  domain: AgentDomain,
  accountId: string,
  agentId: string,
): Promise<AgentView> {
  await followMembers(domain, accountId);
  return await viewAgent(domain.store.db, accountId, agentId);
}

/** Returns all platform accounts of the account, each with the agents that it belongs to. */
export async function listCandidates({ store }: AgentDomain, accountId: string): Promise<Candidate[]> {
  const memberships = await listMemberships(store.db, accountId);
  const accounts = await listPlatformAccounts(store.db, accountId);
  return accounts.map((account) => ({
    ...account,
    agentIds: memberships.filter((one) => isOf(one, account)).map(({ agentId }) => agentId),
  }));
}

async function viewAgents(db: Db, accountId: string): Promise<AgentView[]> {
  const agents = await listAgents(db, accountId);
  const budgets = await listBudgets(db, accountId);
  const providers = await listProviderNames(db, accountId);
  const keys = Map.groupBy(await listAgentKeys(db, accountId), ({ agentId }) => agentId);
  const memberships = Map.groupBy(await listMemberships(db, accountId), ({ agentId }) => agentId);
  const clients = await listAuthorizations(db, accountId);
  const accounts = await listPlatformAccounts(db, accountId);
  return agents.map((agent) => {
    const own = memberships.get(agent.id) ?? [];
    return {
      ...agent,
      provider: providers.get(agent.id) ?? null,
      budget: budgets.get(agent.id) ?? {},
      keys: keys.get(agent.id) ?? [],
      oauthClients: clients.filter(({ agentIds }) => agentIds.includes(agent.id)),
      accounts: accounts.filter((account) => own.some((one) => isOf(one, account))),
    };
  });
}

function isOf({ memberType, memberId }: Row<'agentAccounts'>, { type, id }: PlatformAccount): boolean {
  return memberType === type && memberId === id;
}
