import type { GeneratedAlways, Selectable } from 'kysely';
import type { Platform } from '../../base/platform.ts';
import type { TerminationResult } from '../../base/termination.ts';
import type { MemberType } from '../agents/agent-tables.ts';

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

/**
 * The account's feed, in the order of `id`; `agentId` null: for all agents. `payload` is JSON; `platform` is where it
 * happened, `messageSeq` the message that it tells of, if it tells of one.
 */
export interface EventsTable {
  id: GeneratedAlways<number>;
  accountId: string;
  agentId: string | null;
  type: string;
  payload: string;
  createdAt: string;
  messageSeq: number | null;
  platform: MessagePlatform | null;
  /** Its time in cursors, which no other event of the account has; null: it is named by its message. */
  cursorTime: string | null;
}

export type ConversationStatus = 'active' | 'closed';

/** Where messages go: `agent` stands for the agents of one account among themselves. */
export type MessagePlatform = Platform | 'agent';

/**
 * One person at one platform account, or two agents and a task. `lastSeq` is the newest message's; `alias` another
 * name of the person, by which the platform may still call them.
 */
export interface ConversationsTable {
  id: string;
  accountId: string;
  platform: MessagePlatform;
  memberType: MemberType | null;
  memberId: string | null;
  agentId: string | null;
  peerAgentId: string | null;
  task: string;
  remoteId: string;
  alias: string | null;
  remoteName: string | null;
  status: ConversationStatus;
  createdAt: string;
  lastInboundAt: string | null;
  /**
   * Why nothing can be written although somebody might have been in time: `closed`, the platform says so; `asked`, and a
   * template has asked them to write. Null: as `lastInboundAt` tells.
   */
  closure: 'closed' | 'asked' | null;
  lastSeq: number;
}

export type MessageDirection = 'inbound' | 'outbound';

/**
 * `received` is an inbound one. Outbound: `sending` until the platform has answered, `pending` until the other side
 * writes, then `delivered`, `failed`, `unknown` (nobody can tell whether it arrived), or `dropped` (pending too long).
 */
export type MessageStatus =
  | 'received'
  | 'sending'
  | 'pending'
  | 'delivered'
  | 'failed'
  | 'unknown'
  | 'dropped';

/** `seq` orders the messages of the whole gateway; `createdAt` never runs backwards beside it. */
export interface MessagesTable {
  seq: GeneratedAlways<number>;
  id: string;
  accountId: string;
  conversationId: string;
  direction: MessageDirection;
  /** The agent that wrote it; null: a person did, or the gateway itself. */
  senderAgentId: string | null;
  text: string;
  status: MessageStatus;
  error: string | null;
  createdAt: string;
  changedAt: string;
  /**
   * Of a message that waits until the other side writes: when it is given up; it stays until agents were told what became
   * of it. Of an inbound one: until when its event waits behind such messages.
   */
  expiresAt: string | null;
  /**
   * Of a message that is sent in the background: `waiting` while the platform certainly has nothing of it, `begun` from
   * the first attempt on. Null: its sender waits for the outcome.
   */
  background: 'waiting' | 'begun' | null;
}

/**
 * `reserved`: its upload has not come; `stored`: its bytes are on disk; `remote`: they are fetched from the platform
 * when asked for; `gone`: nobody has them any more. Token and slot are secrets, kept as SHA-256.
 */
export interface FilesTable {
  id: string;
  accountId: string;
  origin: 'upload' | 'inbound';
  name: string;
  mime: string;
  sizeBytes: number | null;
  tokenHash: string;
  sealedToken: string;
  state: 'reserved' | 'stored' | 'remote' | 'gone';
  slotHash: string | null;
  slotExpiresAt: string | null;
  /** Where the platform keeps it, of an inbound one. */
  platform: Platform | null;
  loginKey: string | null;
  remoteRef: string | null;
  createdAt: string;
  cachedUntil: string | null;
  expiresAt: string;
}

/** What a platform calls a message; several names where it was sent in parts. */
export interface PlatformMessagesTable {
  platformMessageId: string;
  conversationId: string;
  messageSeq: number;
}

export interface AttachmentsTable {
  messageSeq: number;
  position: number;
  fileId: string;
}
