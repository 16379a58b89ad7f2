import type { FeedEvent, OtherEvent } from '../../messaging/inbox/feed.ts';
import { messageWire } from './message-wire.ts';

/**
 * The API representation of an event. `cursor`: the position of a client that has read everything up to it. Built only
 * from stored data, so it is always the same.
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

/** The same for events that are not messages, without the cursor. */
export function otherEventWire({ type, eventId, createdAt, payload }: OtherEvent): Record<string, unknown> {
  return { ...payload, type, event_id: eventId, created_at: createdAt };
}
