import type { GeneratedAlways, Kysely, Selectable } from 'kysely';
import type { Platform } from '../base/platform.ts';
import type { TerminationResult } from '../base/termination.ts';

/**
 * The tables as TypeScript sees them. Columns are snake_case in the database; timestamps are ISO 8601 texts in UTC
 * with milliseconds, so that they sort as they read; SQLite has no booleans, hence 0 and 1.
 */
export interface Tables {
  accounts: AccountsTable;
  agents: AgentsTable;
  apiKeys: ApiKeysTable;
  agentKeys: AgentKeysTable;
  agentAccounts: AgentAccountsTable;
  calls: CallsTable;
  sipTrunks: SipTrunksTable;
  sipDids: SipDidsTable;
  events: EventsTable;
  facts: FactsTable;
}

/** What the functions of the store work on: the database, or a transaction in it. */
export type Db = Kysely<Tables>;

export type Bit = 0 | 1;

export interface AccountsTable {
  id: string;
  name: string;
  createdAt: string;
}

/** Exactly one agent of an account is the default; a partial unique index forbids two. */
export interface AgentsTable {
  id: string;
  accountId: string;
  name: string;
  isDefault: Bit;
  createdAt: string;
}

/** Agent keys act at runtime, settings keys configure the account. */
export type KeyKind = 'agent' | 'settings';

/** The key itself is never stored: `hash` is its SHA-256 in hex, `keyPrefix` its first characters. */
export interface ApiKeysTable {
  id: string;
  accountId: string;
  kind: KeyKind;
  hash: string;
  keyPrefix: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

export interface AgentKeysTable {
  agentId: string;
  keyId: string;
}

/** Kinds of platform accounts that an agent can own. */
export type MemberType = 'connection' | 'bot_token' | 'sip_number';

/** Platform accounts of an agent; `memberId` names a row of the table that `memberType` stands for. */
export interface AgentAccountsTable {
  agentId: string;
  memberType: MemberType;
  memberId: string;
}

export type CallState = 'connecting' | 'ringing' | 'active' | 'refused' | 'ended' | 'disconnected' | 'missed';
export type CallDirection = 'inbound' | 'outbound';

/** `endedAt` is null exactly while the call lives. `agentId` is null once the agent was deleted. */
export interface CallsTable {
  callId: string;
  accountId: string;
  agentId: string | null;
  roomId: string;
  participantId: string;
  platform: Platform;
  meetingUrl: string;
  agentName: string;
  direction: CallDirection;
  caller: string;
  sampleRateHz: number;
  state: CallState;
  createdAt: string;
  answeredAt: string | null;
  endedAt: string | null;
  terminationResult: TerminationResult | null;
  terminationReason: string | null;
}

export type CallRow = Selectable<CallsTable>;

/** One trunk an account. `sealedPassword` is a SecretBox text. */
export interface SipTrunksTable {
  accountId: string;
  host: string;
  port: number;
  transport: 'udp' | 'tcp' | 'tls';
  username: string;
  sealedPassword: string;
  realm: string | null;
  callerId: string | null;
  register: Bit;
  srtp: 'off' | 'optional' | 'required';
  createdAt: string;
  updatedAt: string;
}

/** A phone number belongs to one account of the whole gateway. */
export interface SipDidsTable {
  id: string;
  accountId: string;
  number: string;
  label: string | null;
  autoAnswer: Bit;
  createdAt: string;
}

/** The account's feed, in the order of `id`; `agentId` null: for all agents. `payload` is JSON. */
export interface EventsTable {
  id: GeneratedAlways<number>;
  accountId: string;
  agentId: string | null;
  type: string;
  payload: string;
  createdAt: string;
}

/** Single facts about the database itself. */
export interface FactsTable {
  name: string;
  value: string;
}
