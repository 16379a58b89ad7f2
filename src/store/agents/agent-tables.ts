import type { Bit } from '../database/column-types.ts';

/** The tables of this folder by name. */
export interface AgentTables {
  agents: AgentsTable;
  agentAccounts: AgentAccountsTable;
  agentProviders: AgentProvidersTable;
  deliveries: DeliveriesTable;
  internalBearers: InternalBearersTable;
}

/** The model behind an agent. `config` and `eventFilter` are JSON. The config's secrets are sealed separately. */
export interface AgentProvidersTable {
  agentId: string;
  provider: string;
  config: string;
  sealedSecrets: string | null;
  systemPrompt: string | null;
  eventFilter: string;
  updatedAt: string;
}

/** The agent key with which a model calls back. The only key whose text is stored (sealed). */
interface InternalBearersTable {
  agentId: string;
  keyId: string;
  sealedKey: string;
}

export type DeliveryStatus = 'queued' | 'delivered' | 'failed';

/** An event to be delivered to an agent's model. */
export interface DeliveriesTable {
  id: string;
  accountId: string;
  agentId: string;
  eventType: string;
  status: DeliveryStatus;
  payload: string;
  responseBody: string | null;
  error: string | null;
  createdAt: string;
  updatedAt: string;
}

/** Exactly one agent per account is the default; a partial unique index prevents a second one. */
export interface AgentsTable {
  id: string;
  accountId: string;
  name: string;
  isDefault: Bit;
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
