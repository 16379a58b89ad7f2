import type { Generated } from 'kysely';

/** The tables of this folder by name. */
export interface AgentTables {
  agents: AgentsTable;
  agentBudgets: AgentBudgetsTable;
  agentAccounts: AgentAccountsTable;
  agentProviders: AgentProvidersTable;
  agentPolicies: AgentPoliciesTable;
  internalBearers: InternalBearersTable;
}

/** Settings by name. */
export type Texts = Readonly<Record<string, string>>;

/**
 * The model behind an agent. The secrets of `config` are sealed separately. Events up to `feedPosition` have been
 * claimed for the model. `keyRefusals` counts refusals of the key in a row.
 */
export interface AgentProvidersTable {
  agentId: string;
  provider: string;
  config: Texts;
  sealedSecrets: string | null;
  systemPrompt: string | null;
  eventFilter: Readonly<Record<string, boolean>>;
  /** Spoken when a call is answered, without the model. */
  greeting: string | null;
  /** People see replies while the model writes them, where the platform can. */
  liveReplies: Generated<boolean>;
  feedPosition: Generated<number>;
  keyRefusals: Generated<number>;
  updatedAt: string;
}

/** What the model of an agent may do. An agent without a row has the default. */
interface AgentPoliciesTable {
  agentId: string;
  /** Patterns, as `parseCallPattern` writes them. */
  callsTo: readonly string[];
  newConversations: boolean;
  actionsPerTurn: number;
  /** Null: all of them. */
  readingTools: readonly string[] | null;
  updatedAt: string;
}

/** The limits that the owner has set for an agent, in place of the gateway's. */
interface AgentBudgetsTable {
  agentId: string;
  limits: Readonly<Record<string, number>>;
}

/** The agent key with which a model calls back. The only key whose text is stored (sealed). */
interface InternalBearersTable {
  agentId: string;
  keyId: string;
  sealedKey: string;
}

/** Exactly one agent per account is the default; a partial unique index prevents a second one. */
export interface AgentsTable {
  id: string;
  accountId: string;
  name: string;
  isDefault: boolean;
  createdAt: string;
  /** Sent to a person who gets no answer in time. Null: the gateway's text; empty: nothing. */
  timeoutText: string | null;
}

/** Kinds of platform accounts that an agent can have. */
export type MemberType = 'connection' | 'bot_token' | 'sip_number';

/** Platform accounts of agents. `memberId` refers to a row of the table that `memberType` denotes. */
interface AgentAccountsTable {
  agentId: string;
  memberType: MemberType;
  memberId: string;
}
