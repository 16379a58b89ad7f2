import type { AgentScope } from '../../base/scope.ts';
import type { ListedAttachment } from '../../files/listed-attachments.ts';
import { type FeedEvent, otherEvent, readFeed } from '../../messaging/inbox/feed.ts';
import { changeRows } from '../../store/database/rows.ts';
import type { Delivery } from '../../store/inline/deliveries.ts';
import type { StoredEvent } from '../../store/messages/events.ts';
import type { InlineDomain } from '../inline-domain.ts';

/** An event as the model is told of it, with the API's field names. */
export type ToldEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * Returns what the deliveries of a turn are about, and stores it with them, so that people see what the model was told.
 * Addresses of files are secrets and are not stored. Messages that were deleted meanwhile are left out.
 */
export async function toldEvents(
  domain: InlineDomain,
  scope: AgentScope,
  deliveries: readonly Delivery[],
): Promise<ToldEvent[]> {
  const told: ToldEvent[] = [];
  for (const delivery of deliveries) {
    const event = await toldEvent(domain, scope, delivery);
    if (event !== null) told.push(event);
  }
  return told;
}

async function toldEvent(
  { store, reading }: InlineDomain,
  scope: AgentScope,
  { id, eventId, payload }: Delivery,
): Promise<ToldEvent | null> {
  if (eventId === null || isWhole(payload)) return payload as ToldEvent;
  const { events } = await readFeed(reading, scope, eventId - 1, 1);
  const [event] = events;
  // Of an old event that is replayed, only what was told then is left.
  if (event?.position !== eventId) return hasContent(payload) ? (payload as ToldEvent) : null;
  const wire = wireOf(event);
  await changeRows(store.db, 'deliveries', { id }, { payload: withoutAddresses(wire) });
  return wire;
}

/** Returns what is known of an event when it is claimed: all, unless it is a message or comes with files. */
export function claimedPayload(event: StoredEvent): Readonly<Record<string, unknown>> {
  return event.messageSeq === null ? wireOf(otherEvent(event)) : { type: event.type, ...event.payload };
}

function isWhole({ type, file_ids, attachments }: Delivery['payload']): boolean {
  return type !== 'dm_chat' && file_ids === undefined && attachments === undefined;
}

/** Feeds hold only the identity of a message. */
function hasContent({ type, text }: Delivery['payload']): boolean {
  return type !== 'dm_chat' || typeof text === 'string';
}

function wireOf(event: FeedEvent): ToldEvent {
  const { type, eventId: event_id, createdAt: created_at } = event;
  if (event.kind === 'other') return { type, event_id, ...event.payload, created_at };
  const { conversation, message } = event;
  const { replyTo, choice } = message;
  return {
    type,
    event_id,
    platform: conversation.platform,
    conversation_id: conversation.id,
    kind: conversation.kind,
    thread: conversation.thread,
    peer: { id: conversation.peer.remoteId, name: conversation.peer.remoteName },
    sender: message.sender,
    message_id: message.id,
    text: message.text,
    attachments: message.attachments.map(fileWire),
    ...(replyTo && {
      reply_to: {
        message_id: replyTo.messageId,
        author: replyTo.author,
        text: replyTo.text,
        attachments: replyTo.attachments.map(fileWire),
      },
    }),
    ...(choice !== null && { choice }),
    created_at,
  };
}

function fileWire({ name, mime, sizeBytes: size, url }: ListedAttachment) {
  return { name, mime, size, url };
}

function withoutAddresses({ attachments, reply_to, ...event }: ToldEvent): Readonly<Record<string, unknown>> {
  const replied = reply_to as Readonly<Record<string, unknown>> | undefined;
  return {
    ...event,
    ...(attachments !== undefined && { attachments: withoutUrls(attachments) }),
    ...(replied && { reply_to: { ...replied, attachments: withoutUrls(replied.attachments) } }),
  };
}

function withoutUrls(files: unknown): unknown {
  return Array.isArray(files) ? files.map(({ url: _secret, ...file }) => file) : files;
}
