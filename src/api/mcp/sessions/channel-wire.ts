import type { FeedEvent } from '../../../messaging/inbox/feed.ts';
import { cursorText } from '../../../store/messages/cursor.ts';
import { messageWire } from '../../rest/message-wire.ts';

/** The parameters of a `notifications/claude/channel`: a text, and values whose names have only letters and underscores. */
export interface ChannelPush {
  readonly content: string;
  readonly meta: Readonly<Record<string, string>>;
}

/** An event of the feed as a push. Values that are not strings are sent as JSON. */
export function channelPush(event: FeedEvent): ChannelPush {
  const { type, eventId: event_id, createdAt: created_at } = event;
  const common = { type, event_id, created_at };
  if (event.kind === 'other')
    return { content: wordsOf(event.payload), meta: texts({ ...common, ...event.payload }) };
  const { conversationId: conversation_id, platform, peer, at } = event;
  const { id: message_id, text, attachments } = messageWire(event.message);
  const meta = {
    ...common,
    conversation_id,
    platform,
    remote_id: peer.remoteId,
    remote_name: peer.remoteName,
    message_id,
    cursor: cursorText(at),
    ...(attachments.length > 0 && { attachments }),
  };
  return { content: text, meta: texts(meta) };
}

/** An event's text, or its whole payload as JSON. */
function wordsOf(payload: Readonly<Record<string, unknown>>): string {
  const words = payload.text ?? payload.message;
  return typeof words === 'string' ? words : JSON.stringify(payload);
}

function texts(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const said = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    said.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
