import type { History, Snapshot } from '../../messaging/inbox/inbox.ts';
import type { Delta } from '../../messaging/inbox/inbox-delta.ts';
import type { MessageView } from '../../messaging/inbox/inbox-view.ts';
import type { ConversationHistory, Inbox, InboxEvent, Message } from '../schema/inbox.ts';
import { otherEventWire } from './event-wire.ts';
import { conversationWire, messageWire } from './message-wire.ts';

/** Length of a preview's text in characters. */
const PREVIEW_LENGTH = 200;

export function snapshotWire({ previews, cursor }: Snapshot): Inbox {
  const conversations = previews.map(({ conversation, lastMessage }) => ({
    ...conversationWire(conversation),
    preview: lastMessage && previewOf(lastMessage),
  }));
  return { conversations, cursor };
}

function previewOf(message: MessageView): Message {
  const characters = [...message.text.slice(0, 4 * PREVIEW_LENGTH)];
  const isLong = characters.length > PREVIEW_LENGTH;
  const text = isLong ? `${characters.slice(0, PREVIEW_LENGTH - 1).join('')}…` : message.text;
  return messageWire({ ...message, text });
}

/** Detail mode answers in the common format, with one conversation. */
export function detailWire({ conversation, messages, cursor }: History): Inbox {
  return {
    conversations: [{ ...conversationWire(conversation), messages: messages.map(messageWire) }],
    cursor,
  };
}

export function historyWire({ conversation, messages, cursor }: History): ConversationHistory {
  return { conversation: conversationWire(conversation), messages: messages.map(messageWire), cursor };
}

export function deltaWire({ groups, events, cursor }: Delta): Inbox {
  const conversations = groups.map(({ conversation, messages }) => ({
    ...conversationWire(conversation),
    messages: messages.map(messageWire),
  }));
  if (events.length === 0) return { conversations, cursor };
  return { conversations, events: events.map((event) => otherEventWire(event) as InboxEvent), cursor };
}
