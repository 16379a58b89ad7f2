import { PLATFORM_TRAITS } from '../../base/platform.ts';
import type { AgentScope } from '../../base/scope.ts';
import type { Clock } from '../../base/time.ts';
import type { ListedAttachment } from '../../files/listed-attachments.ts';
import {
  listConversationAgents,
  listNamedAgents,
  type NamedAgent,
} from '../../store/agents/conversation-agents.ts';
import { isOfProbe } from '../../store/messages/agent-conversations.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import type {
  MessageDirection,
  MessagePlatform,
  MessageStatus,
  ReplyTo,
  SpaceKind,
} from '../../store/messages/message-tables.ts';
import type { Message, Sender } from '../../store/messages/messages.ts';
import { countPending } from '../../store/messages/outbound-messages.ts';
import type { Store } from '../../store/store.ts';
import { isWindowOpen } from '../window/window-guard.ts';

/** Dependencies for reading messages. */
export interface Reading {
  readonly store: Store;
  readonly clock: Clock;
  /** Returns attachments by message seq. Messages without attachments are left out. */
  readonly attachments: (messageSeqs: readonly number[]) => Promise<ReadonlyMap<number, ListedAttachment[]>>;
  /** Returns files by id, for events that name some. Files that are gone are left out. */
  readonly files: (fileIds: readonly string[]) => Promise<ReadonlyMap<string, ListedAttachment>>;
}

/** A message as a scope sees it. */
export interface MessageView {
  readonly id: string;
  readonly text: string;
  readonly direction: MessageDirection;
  readonly status: MessageStatus;
  readonly error: string | null;
  readonly createdAt: string;
  /** The agent that wrote it. Null: a person or the gateway wrote it. */
  readonly senderAgentId: string | null;
  /** The person who wrote in a channel. Null outside channels, where it is the person of the conversation. */
  readonly sender: Sender | null;
  readonly attachments: readonly ListedAttachment[];
  /** What it answers. */
  readonly replyTo: ReplyView | null;
  /** What an outbound message lets people pick. */
  readonly choices: readonly string[] | null;
  /** What the person has picked. */
  readonly choice: string | null;
}

/** The message that another one answers, as it was then. */
export interface ReplyView extends Pick<ReplyTo, 'messageId' | 'author' | 'text'> {
  /** Those that are still there. */
  readonly attachments: readonly ListedAttachment[];
}

/** The other side: a person or channel under the platform's id and name, or an agent under its id. */
export interface Peer {
  readonly remoteId: string;
  readonly remoteName: string | null;
}

/** The other side of a probe's conversation. */
export const GATEWAY: Peer = { remoteId: 'gateway', remoteName: 'Gateway test' };

/** Service window: whether the other side can be written to now. */
export interface WindowView {
  readonly isOpen: boolean;
  readonly lastInboundAt: string | null;
  readonly pendingCount: number;
}

/** A conversation as a scope sees it. */
export interface ConversationView {
  readonly id: string;
  readonly platform: MessagePlatform;
  readonly status: string;
  readonly createdAt: string;
  /** Conversations between agents only. */
  readonly task: string;
  readonly kind: SpaceKind;
  /** The platform's id of the thread. Null: outside threads. */
  readonly thread: string | null;
  readonly peer: Peer;
  /** The scope's own agents in this conversation. */
  readonly agents: readonly NamedAgent[];
  /** Null on platforms without a service window. */
  readonly window: WindowView | null;
}

/** What a scope sees: conversations by id, and messages of them. */
export interface Views {
  readonly conversations: ReadonlyMap<string, ConversationView>;
  /** In the order in which they were given. */
  readonly messages: readonly MessageView[];
}

/** Returns the views of conversations, which stay in order, and of messages of them. */
export async function viewAll(
  reading: Reading,
  scope: AgentScope,
  conversations: readonly Conversation[],
  messages: readonly Message[],
): Promise<Views> {
  const byId = new Map(conversations.map((conversation) => [conversation.id, conversation]));
  const shown = await viewMessages(reading, scope, byId, messages);
  const views = await viewConversations(reading, scope, conversations);
  return { conversations: new Map(views.map((view) => [view.id, view])), messages: shown };
}

/** Returns the views of messages of these conversations, in the given order. */
async function viewMessages(
  { attachments: attachmentsOf, files: filesOf }: Reading,
  scope: AgentScope,
  conversations: ReadonlyMap<string, Conversation>,
  messages: readonly Message[],
): Promise<MessageView[]> {
  if (messages.length === 0) return [];
  const attachments = await attachmentsOf(messages.map(({ seq }) => seq));
  const quotedIds = messages.flatMap(({ replyTo }) => replyTo?.fileIds ?? []);
  const quotedFiles = quotedIds.length === 0 ? new Map() : await filesOf(quotedIds);
  return messages.map((message) => {
    const { id, text, status, error, createdAt, senderAgentId, choices, choice } = message;
    return {
      ...{ id, text, status, error, createdAt, senderAgentId, choices, choice },
      direction: directionFor(scope, conversations.get(message.conversationId), message),
      sender: senderOf(message),
      attachments: attachments.get(message.seq) ?? [],
      replyTo: replyView(message.replyTo, quotedFiles),
    };
  });
}

function replyView(replyTo: ReplyTo | null, files: ReadonlyMap<string, ListedAttachment>): ReplyView | null {
  if (replyTo === null) return null;
  const { fileIds, ...answered } = replyTo;
  return { ...answered, attachments: fileIds.flatMap((id) => files.get(id) ?? []) };
}

function senderOf({ senderId: id, senderName: name }: Message): Sender | null {
  return id === null ? null : { id, name };
}

/** Returns the views of conversations, in the given order. */
async function viewConversations(
  reading: Reading,
  scope: AgentScope,
  conversations: readonly Conversation[],
): Promise<ConversationView[]> {
  if (conversations.length === 0) return [];
  const { db } = reading.store;
  const ids = conversations.map(({ id }) => id);
  const agents = await listConversationAgents(db, scope, ids);
  const ofAgents = conversations.flatMap(({ agentId, peerAgentId }) => [agentId ?? [], peerAgentId ?? []]);
  const named = await listNamedAgents(db, ofAgents.flat());
  const pending = await countPending(
    db,
    conversations.filter(({ platform }) => windowMsOf(platform) !== null).map(({ id }) => id),
  );
  const nowIso = reading.clock.nowIso();
  return conversations.map((conversation) => {
    const { id, platform, status, createdAt, task, spaceKind: kind } = conversation;
    const thread = conversation.thread || null;
    const parties = partiesOf(scope, conversation, agents.get(id) ?? [], named);
    const window = windowOf(conversation, pending.get(id) ?? 0, nowIso);
    return { id, platform, status, createdAt, task, kind, thread, ...parties, window };
  });
}

function partiesOf(
  scope: AgentScope,
  conversation: Conversation,
  agents: readonly NamedAgent[],
  named: ReadonlyMap<string, NamedAgent>,
): Pick<ConversationView, 'peer' | 'agents'> {
  const { remoteId, remoteName } = conversation;
  const own = ownAgentOf(scope, conversation);
  if (own === null) return { peer: { remoteId, remoteName }, agents };
  if (isOfProbe(conversation)) return { peer: GATEWAY, agents: [named.get(own) ?? []].flat() };
  const peerId = own === conversation.agentId ? conversation.peerAgentId : conversation.agentId;
  const peer = named.get(peerId ?? '');
  return {
    peer: { remoteId: peerId ?? remoteId, remoteName: peer?.name ?? null },
    agents: [named.get(own) ?? []].flat(),
  };
}

/**
 * Returns the agent from whose side the scope sees a conversation between agents. If the scope has both, it is the one
 * that began the conversation.
 */
function ownAgentOf({ agentIds }: AgentScope, { agentId, peerAgentId }: Conversation): string | null {
  if (agentId === null) return null;
  return agentIds.includes(agentId) ? agentId : peerAgentId;
}

/** A message between agents is outbound for its sender and inbound for its recipient. */
function directionFor(
  scope: AgentScope,
  conversation: Conversation | undefined,
  { direction, senderAgentId }: Message,
): MessageDirection {
  const own = conversation ? ownAgentOf(scope, conversation) : null;
  if (own === null) return direction;
  return senderAgentId === own ? 'outbound' : 'inbound';
}

function windowMsOf(platform: MessagePlatform): number | null {
  return platform === 'agent' ? null : PLATFORM_TRAITS[platform].windowMs;
}

function windowOf(conversation: Conversation, pendingCount: number, nowIso: string): WindowView | null {
  const { platform, lastInboundAt } = conversation;
  const windowMs = windowMsOf(platform);
  if (windowMs === null) return null;
  return { isOpen: isWindowOpen(conversation, nowIso, windowMs), lastInboundAt, pendingCount };
}
