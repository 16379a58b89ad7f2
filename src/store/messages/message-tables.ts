import type { Generated, GeneratedAlways } from 'kysely';
import type { Capability, Platform } from '../../base/platform.ts';
import type { TurnMetrics } from '../../base/speech.ts';
import type { TerminationResult } from '../../base/termination.ts';
import type { MemberType } from '../agents/agent-tables.ts';

/** The tables of this folder by name. */
export interface MessageTables {
  attachments: AttachmentsTable;
  calls: CallsTable;
  callTurns: CallTurnsTable;
  conversations: ConversationsTable;
  earlyEdits: EarlyEditsTable;
  events: EventsTable;
  files: FilesTable;
  heldMessages: HeldMessagesTable;
  liveMessages: LiveMessagesTable;
  messages: MessagesTable;
  platformMessages: PlatformMessagesTable;
  transcriptLines: TranscriptLinesTable;
}

export type CallState = 'connecting' | 'ringing' | 'active' | 'refused' | 'ended' | 'disconnected' | 'missed';

export type CallDirection = 'inbound' | 'outbound';

/** `endedAt` is null while the call is live. `agentId` is null after the agent was deleted. */
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
  /** Null: stored by a version that did not keep them. */
  capabilities: readonly Capability[] | null;
  state: CallState;
  createdAt: string;
  answeredAt: string | null;
  endedAt: string | null;
  terminationResult: TerminationResult | null;
  terminationReason: string | null;
}

/** How long the far end of a call waited for an answer: the fields of `turn_metrics`. `position` counts from 0. */
export interface CallTurnsTable {
  callId: string;
  position: number;
  accountId: string;
  metrics: TurnMetrics;
  createdAt: string;
}

/** What was said on a call, by hosted speech recognition. `position` counts from 0. */
export interface TranscriptLinesTable {
  callId: string;
  position: number;
  accountId: string;
  speaker: string;
  text: string;
  createdAt: string;
}

/**
 * The account's feed, in the order of `id`. `agentId` null: for all agents. `platform` is where the event
 * happened, `messageSeq` the message it is about, if any.
 */
export interface EventsTable {
  id: GeneratedAlways<number>;
  accountId: string;
  agentId: string | null;
  type: string;
  payload: Readonly<Record<string, unknown>>;
  createdAt: string;
  messageSeq: number | null;
  platform: MessagePlatform | null;
  /** The event's time in cursors, unique within the account. Null: the event is identified by its message. */
  cursorTime: string | null;
}

export type ConversationStatus = 'active' | 'closed';

/** Where messages go. `agent` stands for messages between the agents of one account. */
export type MessagePlatform = Platform | 'agent';

/** A person's direct conversation with a platform account, or a channel with several people. */
export type SpaceKind = 'direct' | 'channel';

/**
 * A person or a channel at one platform account, in a thread or outside (''); or two agents and a task. `remoteId` is
 * the platform's id of the person or channel. `lastSeq` is that of the newest message. `alias` is another id of the
 * person, which the platform may still use.
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
  spaceKind: Generated<SpaceKind>;
  thread: Generated<string>;
  remoteId: string;
  alias: string | null;
  remoteName: string | null;
  status: ConversationStatus;
  createdAt: string;
  lastInboundAt: string | null;
  /**
   * Overrides the service window of `lastInboundAt`. `closed`: the platform reported the window closed. `asked`: a
   * template has also asked the person to write. Null: no override.
   */
  closure: 'closed' | 'asked' | null;
  lastSeq: number;
}

export type MessageDirection = 'inbound' | 'outbound';

/**
 * `received`: inbound. Outbound messages are `sending` until the platform has answered, or `pending` until the other
 * side writes; then `delivered`, `failed`, `unknown` (may have arrived) or `dropped` (pending too long).
 */
export type MessageStatus =
  | 'received'
  | 'sending'
  | 'pending'
  | 'delivered'
  | 'failed'
  | 'unknown'
  | 'dropped';

/** `seq` orders the messages of the whole gateway. `createdAt` never decreases as `seq` grows. */
export interface MessagesTable {
  seq: GeneratedAlways<number>;
  id: string;
  accountId: string;
  conversationId: string;
  direction: MessageDirection;
  /** The agent that wrote it. Null: a person or the gateway wrote it. */
  senderAgentId: string | null;
  /** The person who wrote in a channel. Null in direct conversations and for outbound messages. */
  senderId: string | null;
  senderName: string | null;
  text: string;
  status: MessageStatus;
  error: string | null;
  createdAt: string;
  changedAt: string;
  /**
   * For a message that waits until the other side writes: when it is dropped. Kept until the agents have been told the
   * result. For an inbound message: until when its event waits behind such messages.
   */
  expiresAt: string | null;
  /**
   * For a message sent in the background: `waiting` while the platform certainly has none of it, `begun` from the first
   * attempt on. Null: the sender waits for the result.
   */
  background: 'waiting' | 'begun' | null;
  /** What it answers; null: nothing, as far as is known. */
  replyTo: ReplyTo | null;
  /** What an outbound message lets people pick. */
  choices: readonly string[] | null;
  /** What the person has picked. */
  choice: string | null;
  /** Id of the message that is the first part of the text of which this one is another part. */
  partOf: string | null;
  /** The platform's id of the message that showed its beginning while it was written. Null: none did. */
  shownId: Generated<string | null>;
}

/** The message that another one answers, as it was then. */
export interface ReplyTo {
  /** Null: it is not in the store. */
  readonly messageId: string | null;
  /** Name of who wrote it; null: not known. */
  readonly author: string | null;
  /** Its beginning. */
  readonly text: string;
  readonly fileIds: readonly string[];
}

/**
 * `reserved`: the upload has not arrived; `stored`: the bytes are on disk; `remote`: the bytes are fetched from the
 * platform on demand; `gone`: the bytes no longer exist. Token and slot are secrets, stored as SHA-256.
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
  /** Where the platform keeps an inbound file. */
  platform: Platform | null;
  loginKey: string | null;
  remoteRef: string | null;
  createdAt: string;
  cachedUntil: string | null;
  expiresAt: string;
}

/**
 * A message that is received when a voice note has been read: that one, or one after it in the same place. `inbound`: all of
 * it, as JSON.
 */
interface HeldMessagesTable {
  seq: GeneratedAlways<number>;
  id: string;
  accountId: string;
  platform: Platform;
  place: string;
  inbound: string;
}

/** What a message says that has not come yet. `text` null: it was deleted. */
interface EarlyEditsTable {
  id: string;
  accountId: string;
  text: string | null;
  expiresAt: string;
}

/** A message that people see while it is written, until it is stored. `shownId` is null while the platform may not have it. */
interface LiveMessagesTable {
  key: string;
  conversationId: string;
  shownId: string | null;
  /** When its first request was made. */
  begunAt: Generated<string>;
}

/** A platform's id of a message. A message sent in parts has several. */
export interface PlatformMessagesTable {
  platformMessageId: string;
  conversationId: string;
  messageSeq: number;
}

interface AttachmentsTable {
  messageSeq: number;
  position: number;
  fileId: string;
}
