import type { ConversationView, MessageView } from '../../messaging/inbox/inbox-view.ts';
import type { Conversation, Message } from '../schema/inbox.ts';

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
    attachments: message.attachments.map(({ name, mime, sizeBytes, url }) => ({
      name,
      mime,
      size: sizeBytes,
      url,
    })),
  };
}

/** The API representation of a conversation. */
export function conversationWire(view: ConversationView): Conversation {
  const { window } = view;
  return {
    conversation_id: view.id,
    platform: view.platform,
    remote_id: view.peer.remoteId,
    remote_name: view.peer.remoteName,
    status: view.status,
    task: view.task,
    created_at: view.createdAt,
    agents: [...view.agents],
    ...(window && {
      whatsapp_window: {
        open: window.isOpen,
        last_inbound_at: window.lastInboundAt,
        pending_count: window.pendingCount,
      },
    }),
  };
}
