import type { FeedEvent, OtherEvent } from '../../messaging/inbox/feed.ts';
import { messageWire } from './message-wire.ts';

/**
 * An event in the words of the API; `cursor` is of whoever has read everything up to it. Made of what the database has,
 * so that it is the same whenever it is told.
 */
export function eventWire(event: FeedEvent, cursor: string): Record<string, unknown> {
  if (event.kind === 'other') return { ...otherEventWire(event), cursor };
  const { type, eventId: event_id, createdAt: created_at } = event;
  const message = messageWire(event.message);
  return {
    type,
    event_id,
    conversation_id: event.conversationId,
    platform: event.platform,
    peer: { remote_id: event.peer.remoteId, remote_name: event.peer.remoteName },
    message,
    attachments: message.attachments,
    created_at,
    cursor,
  };
}

/** The same for what is no message, without a cursor of its own. */
export function otherEventWire({ type, eventId, createdAt, payload }: OtherEvent): Record<string, unknown> {
  return { ...payload, type, event_id: eventId, created_at: createdAt };
}
