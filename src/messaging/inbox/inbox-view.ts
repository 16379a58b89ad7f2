import type { AgentScope } from '../../base/scope.ts';
import type { Clock } from '../../base/time.ts';
import {
  listConversationAgents,
  listNamedAgents,
  type NamedAgent,
} from '../../store/agents/conversation-agents.ts';
import { type Conversation, isOfProbe } from '../../store/messages/conversations.ts';
import type {
  MessageDirection,
  MessagePlatform,
  MessageStatus,
} from '../../store/messages/message-tables.ts';
import { countPending, type Message } from '../../store/messages/messages.ts';
import type { Store } from '../../store/store.ts';
import { isWindowOpen } from '../window/service-window.ts';

/** Where one may write only to people who wrote lately. */
const WINDOWED = 'whatsapp';
/** Specification, "Limits": whatsapp service window. */
const SERVICE_WINDOW_MS = 24 * 3_600_000;

/** What reading messages works with. */
export interface Reading {
  readonly store: Store;
  readonly clock: Clock;
  /** The attachments of messages, by their seq; those without any are left out. */
  readonly attachments: (messageSeqs: readonly number[]) => Promise<ReadonlyMap<number, AttachmentView[]>>;
}

/** A file as whoever may read its message sees it. */
export interface AttachmentView {
  readonly name: string;
  readonly mime: string;
  /** Null: the platform does not tell. */
  readonly sizeBytes: number | null;
  /** Opens it without any other credential. */
  readonly url: string;
}

/** A message as a scope sees it. */
export interface MessageView {
  readonly id: string;
  readonly text: string;
  readonly direction: MessageDirection;
  readonly status: MessageStatus;
  readonly error: string | null;
  readonly createdAt: string;
  /** The agent that wrote it; null: a person did, or the gateway itself. */
  readonly senderAgentId: string | null;
  readonly attachments: readonly AttachmentView[];
}

/** Who is on the other side: a person by their platform's name for them, or an agent by its id. */
export interface Peer {
  readonly remoteId: string;
  readonly remoteName: string | null;
}

/** The other side of a probe's conversation. */
export const GATEWAY: Peer = { remoteId: 'gateway', remoteName: 'Gateway test' };

/** WhatsApp: whether the other side may be written to now. */
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
  /** Of agents. */
  readonly task: string;
  readonly peer: Peer;
  /** The scope's own agents that take part. */
  readonly agents: readonly NamedAgent[];
  /** Null on platforms that let one write at any time. */
  readonly window: WindowView | null;
}

/** Shows messages of these conversations, in the order in which they are given. */
export async function viewMessages(
  { attachments: attachmentsOf }: Reading,
  scope: AgentScope,
  conversations: ReadonlyMap<string, Conversation>,
  messages: readonly Message[],
): Promise<MessageView[]> {
  if (messages.length === 0) return [];
  const attachments = await attachmentsOf(messages.map(({ seq }) => seq));
  return messages.map((message) => {
    const { id, text, status, error, createdAt, senderAgentId, conversationId, seq } = message;
    const direction = directionFor(scope, conversations.get(conversationId), message);
    const own = attachments.get(seq) ?? [];
    return { id, text, direction, status, error, createdAt, senderAgentId, attachments: own };
  });
}

/** Shows conversations, in the order in which they are given. */
export async function viewConversations(
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
  const windowed = conversations.filter(({ platform }) => platform === WINDOWED);
  const pending = await countPending(
    db,
    windowed.map(({ id }) => id),
  );
  const nowIso = reading.clock.nowIso();
  return conversations.map((conversation) => {
    const { id, platform, status, createdAt, task } = conversation;
    const parties = partiesOf(scope, conversation, agents.get(id) ?? [], named);
    const window = platform === WINDOWED ? windowOf(conversation, pending.get(id) ?? 0, nowIso) : null;
    return { id, platform, status, createdAt, task, ...parties, window };
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

/** Of a conversation between agents: the one from whose side the scope sees it, the one that began it if it is both. */
function ownAgentOf({ agentIds }: AgentScope, { agentId, peerAgentId }: Conversation): string | null {
  if (agentId === null) return null;
  return agentIds.includes(agentId) ? agentId : peerAgentId;
}

/** What agents write to each other is outbound for the one and inbound for the other. */
function directionFor(
  scope: AgentScope,
  conversation: Conversation | undefined,
  { direction, senderAgentId }: Message,
): MessageDirection {
  const own = conversation ? ownAgentOf(scope, conversation) : null;
  if (own === null) return direction;
  return senderAgentId === own ? 'outbound' : 'inbound';
}

function windowOf(conversation: Conversation, pendingCount: number, nowIso: string): WindowView {
  const { lastInboundAt } = conversation;
  return { isOpen: isWindowOpen(conversation, nowIso, SERVICE_WINDOW_MS), lastInboundAt, pendingCount };
}
