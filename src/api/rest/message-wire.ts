import { WINDOW_FIELD } from '../../base/platform.ts';
import type { ListedAttachment } from '../../files/listed-attachments.ts';
import type { FeedEvent, OtherEvent } from '../../messaging/inbox/feed.ts';
import type { ConversationView, MessageView, ReplyView } from '../../messaging/inbox/inbox-view.ts';
import type { Conversation, Message, MessageAttachment, MessageReply } from '../schema/inbox.ts';

/** The API representation of a message. */
export function messageWire(message: MessageView): Message {
  return {
    id: message.id,
    text: message.text,
    direction: message.direction,
    created_at: message.createdAt,
    status: message.status,
    error: message.error,
    sender_agent_id: message.senderAgentId,
    ...(message.sender && { sender: message.sender }),
    attachments: message.attachments.map(attachmentWire),
    ...(message.replyTo && { reply_to: replyWire(message.replyTo) }),
    ...(message.choices && { choices: [...message.choices] }),
    ...(message.choice !== null && { choice: message.choice }),
  };
}

/** The API representation of what a message answers. */
export function replyWire({ messageId, author, text, attachments }: ReplyView): MessageReply {
  return {
    ...(messageId !== null && { message_id: messageId }),
    author,
    text,
    ...(attachments.length > 0 && { attachments: attachments.map(attachmentWire) }),
  };
}

function attachmentWire({ name, mime, sizeBytes: size, url }: ListedAttachment): MessageAttachment {
  return { name, mime, size, url };
}

/** The API representation of a conversation. */
export function conversationWire(view: ConversationView): Conversation {
  const { window } = view;
  return {
    conversation_id: view.id,
    platform: view.platform,
    kind: view.kind,
    ...(view.thread !== null && { thread: view.thread }),
    remote_id: view.peer.remoteId,
    remote_name: view.peer.remoteName,
    status: view.status,
    task: view.task,
    created_at: view.createdAt,
    agents: [...view.agents],
    ...(window && {
      [WINDOW_FIELD]: {
        open: window.isOpen,
        last_inbound_at: window.lastInboundAt,
        pending_count: window.pendingCount,
      },
    }),
  };
}

/**
 * The API representation of an event. `cursor`: the position of a client that has read everything up to it. Built only
 * from stored data, so it is always the same.
 */
export function eventWire(event: FeedEvent, cursor: string): Record<string, unknown> {
  if (event.kind === 'other') return { ...otherEventWire(event), cursor };
  const { type, eventId: event_id, createdAt: created_at, conversation } = event;
  const { kind, thread, peer } = conversation;
  const message = messageWire(event.message);
  return {
    type,
    event_id,
    conversation_id: conversation.id,
    platform: conversation.platform,
    kind,
    ...(thread !== null && { thread }),
    peer: { remote_id: peer.remoteId, remote_name: peer.remoteName },
    message,
    attachments: message.attachments,
    created_at,
    cursor,
  };
}

/** The same for events that are not messages, without the cursor. */
export function otherEventWire({ type, eventId, createdAt, payload }: OtherEvent): Record<string, unknown> {
  return { ...payload, type, event_id: eventId, created_at: createdAt };
}
