import type { AgentRoster } from '../accounts/account/agent-roster.ts';
import type { Budgets } from '../accounts/budgets/budgets.ts';
import type { KeyDomain } from '../accounts/keys/api-keys.ts';
import { notifyNumbersChanged, type SipAccounts } from '../accounts/logins/sip-accounts.ts';
import type { GrantCache } from '../authorization/grant-cache.ts';
import { GatewayError } from '../base/errors.ts';
import { type Agent, findAgent } from '../store/agents/agents.ts';
import type { Db } from '../store/database/rows.ts';

/** Dependencies of the operations on agents, built once by the composition root. */
export interface AgentDomain extends SipAccounts, KeyDomain {
  readonly roster: AgentRoster;
  readonly grants: Pick<GrantCache, 'refresh'>;
  /** Ends the live calls of a deleted agent. */
  readonly endCalls: (accountId: string, agentId: string) => void;
  readonly models: AgentModels;
  readonly budgets: Budgets;
  /** Whether the gateway may connect to the host of a model. */
  readonly mayConnect: (url: URL) => Promise<boolean>;
}

/** The work for agents with a model, which follows their changes. */
export interface AgentModels {
  /**
   * Notes that what a provider keeps of an agent's conversations is to be deleted, and returns their number. Call it in
   * the transaction that forgets where they are.
   */
  leaveConversations(trx: Db, agentId: string): Promise<number>;
  /**
   * The same for what a provider keeps to read from the gateway with the agent's internal bearer. Call it in the
   * transaction that changes the bearer or the provider, before the change.
   */
  leaveTools(trx: Db, agentId: string): Promise<void>;
  /** Deletes what was noted, in the background and as well as it can. Call it after the commit. */
  forget(): void;
  /** The provider of an agent was set, changed or removed. Call it after the commit. */
  follow(accountId: string, agentId: string): Promise<void>;
  /** The agent was deleted. Call it after the commit. */
  dismiss(agentId: string): void;
  /** Ends the work for an account that is being deleted, and notes what its providers keep. */
  leave(accountId: string): Promise<void>;
}

/**
 * Updates keys, MCP clients, sessions and phone numbers after a change of agents or their members. Call it once the
 * change is committed.
 */
export async function followMembers(domain: AgentDomain, accountId: string): Promise<void> {
  await domain.keys.refresh(accountId);
  await domain.grants.refresh(accountId);
  await domain.roster.reload(accountId);
  await notifyNumbersChanged(domain, accountId);
}

/** Returns the account's agent with this id. Throws `agent_not_found`. */
export async function requireAgent(db: Db, accountId: string, agentId: string): Promise<Agent> {
  const agent = await findAgent(db, accountId, agentId);
  if (!agent) throw new GatewayError('agent_not_found');
  return agent;
}
