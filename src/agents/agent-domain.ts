import type { AgentRoster } from '../accounts/account/agent-roster.ts';
import type { KeyDomain } from '../accounts/keys/api-keys.ts';
import { notifyNumbersChanged, type SipAccounts } from '../accounts/logins/sip-accounts.ts';
import type { GrantCache } from '../authorization/grant-cache.ts';
import { GatewayError } from '../base/errors.ts';
import { type Agent, findAgent } from '../store/agents/agents.ts';
import type { Db } from '../store/database/tables.ts';

/** Dependencies of the operations on agents, built once by the composition root. */
export interface AgentDomain extends SipAccounts, KeyDomain {
  readonly roster: AgentRoster;
  readonly grants: Pick<GrantCache, 'refresh'>;
  /** Ends the live calls of a deleted agent. */
  readonly endCalls: (accountId: string, agentId: string) => void;
  readonly models: AgentModels;
}

/** The work for agents with a model, which follows their changes. */
export interface AgentModels {
  /**
   * Finds what providers keep of an agent's conversations. Call it in the transaction that forgets where they are. The
   * returned function deletes them at the provider, in the background and as well as it can; call it after the commit.
   */
  conversationsOf(trx: Db, agentId: string): Promise<KeptConversations>;
  /** The provider of an agent was set, changed or removed. Call it after the commit. */
  follow(accountId: string, agentId: string): Promise<void>;
  /** The agent was deleted. Call it after the commit. */
  dismiss(agentId: string): void;
  /**
   * Ends the work for an account that is being deleted. The returned function deletes what providers keep of its
   * conversations; call it after the commit.
   */
  leave(accountId: string): Promise<() => void>;
}

export interface KeptConversations {
  readonly count: number;
  readonly forget: () => void;
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
