import type { Generated, GeneratedAlways } from 'kysely';
import type { TurnMetrics } from '../../base/speech.ts';
import type { Texts } from '../agents/agent-tables.ts';

/** The tables of this folder by name. */
export interface InlineTables {
  deliveries: DeliveriesTable;
  deliveryActions: DeliveryActionsTable;
  modelConversations: ModelConversationsTable;
  modelTurns: ModelTurnsTable;
  forgottenAtProviders: ForgottenAtProvidersTable;
}

/**
 * `queued`: waits for its turn. `sent`: the model has it, or may have it. `answered`: the reply is stored, and its
 * actions are carried out. `delivered`: they are. `merged`: the turn of another delivery has answered it.
 */
export type DeliveryStatus = 'queued' | 'sent' | 'answered' | 'delivered' | 'merged' | 'failed';

/**
 * An event for an agent's model, in the order of `seq`. `eventId` is the event's id in the feed; null for tests. `lane` is the conversation or call: an agent has one turn at a time in each. `turnId` is the delivery that
 * leads the turn, whose row has the reply of all.
 */
export interface DeliveriesTable {
  seq: GeneratedAlways<number>;
  id: string;
  accountId: string;
  agentId: string;
  eventId: number | null;
  eventType: string;
  lane: string;
  status: DeliveryStatus;
  payload: Readonly<Record<string, unknown>>;
  replayOf: string | null;
  turnId: string | null;
  /** How often the turn was begun. */
  attempts: Generated<number>;
  provider: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  /** The provider's id of the reply. */
  replyId: string | null;
  /** The reply's text. */
  responseBody: string | null;
  error: string | null;
  /** The kind of the fault. */
  errorType: string | null;
  createdAt: string;
  startedAt: string | null;
  answeredAt: string | null;
  updatedAt: string;
  /** How long somebody on a call waited for the answer. Null: no call, or it was not heard. */
  turnMetrics: TurnMetrics | null;
}

/**
 * `claimed`: being carried out. `done`: carried out. `refused`: not allowed. `failed`: not carried out. `unknown`: it
 * may have been carried out.
 */
export type ActionStatus = 'planned' | 'claimed' | 'done' | 'refused' | 'failed' | 'unknown';

/** What a reply asked for. `detail` is the action. `messageId` is the message that it has written. */
export interface DeliveryActionsTable {
  deliveryId: string;
  position: number;
  accountId: string;
  kind: string;
  detail: Readonly<Record<string, unknown>>;
  status: ActionStatus;
  reason: string | null;
  messageId: string | null;
  createdAt: string;
  updatedAt: string;
}

/** Where a provider keeps a conversation. */
export type StoredMemory = Readonly<Record<string, string>>;

/**
 * A conversation or call of an agent as its model knows it. `memory` is where the provider keeps it, under the configuration
 * with this hash; null where it does not.
 */
export interface ModelConversationsTable {
  id: GeneratedAlways<number>;
  accountId: string;
  agentId: string;
  lane: string;
  configHash: string;
  memory: StoredMemory | null;
  createdAt: string;
  updatedAt: string;
}

/** What a model was told and what it replied: the gateway's own transcript. */
export interface ModelTurnsTable {
  id: GeneratedAlways<number>;
  accountId: string;
  conversationId: number;
  deliveryId: string | null;
  role: 'user' | 'assistant';
  text: string;
  createdAt: string;
}

/**
 * Something to be deleted at a provider, with the provider's settings. `kept` says what it is, in the words of those who
 * note it, and `updatedAt` when the settings were made. Belongs to no account: agent and account may be gone.
 */
export interface ForgottenAtProvidersTable {
  id: string;
  /** Whose turn it takes: the account, which may be gone. */
  owner: string;
  agentId: string;
  provider: string;
  config: Texts;
  sealedSecrets: string;
  kept: Readonly<Record<string, unknown>>;
  /** Attempts that have failed. */
  attempts: Generated<number>;
  dueAt: string;
  updatedAt: string;
}
