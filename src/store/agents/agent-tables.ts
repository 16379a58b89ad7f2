import type { Bit } from '../database/column-types.ts';

/** The model behind an agent. `config` and `eventFilter` are JSON; secrets of the config are sealed apart. */
export interface AgentProvidersTable {
  agentId: string;
  provider: string;
  config: string;
  sealedSecrets: string | null;
  systemPrompt: string | null;
  eventFilter: string;
  updatedAt: string;
}

/** The agent key with which a model calls back; the only key whose text is kept, sealed. */
export interface InternalBearersTable {
  agentId: string;
  keyId: string;
  sealedKey: string;
}

export type DeliveryStatus = 'queued' | 'delivered' | 'failed';

/** One event on its way to an agent's model. */
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

/** Exactly one agent of an account is the default; a partial unique index forbids two. */
export interface AgentsTable {
  id: string;
  accountId: string;
  name: string;
  isDefault: Bit;
  createdAt: string;
  /** What a person is told who gets no answer in time; null: the usual text, empty: nothing. */
  timeoutText: string | null;
}

/** Kinds of platform accounts that an agent can own. */
export type MemberType = 'connection' | 'bot_token' | 'sip_number';

/** Platform accounts of an agent; `memberId` names a row of the table that `memberType` stands for. */
export interface AgentAccountsTable {
  agentId: string;
  memberType: MemberType;
  memberId: string;
}
