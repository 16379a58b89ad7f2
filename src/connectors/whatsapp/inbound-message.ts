import { type Address, directAddress } from '../../base/address.ts';
import type { AnsweredMessage, InboundMessage } from '../contract/messenger.ts';
import { filesOf } from './message-media.ts';
import { choiceIn, textOf } from './message-text.ts';
import type { WireContact, WireMessage } from './webhook-payload.ts';

/** Types of messages without content of a person. */
const SILENT_TYPES: ReadonlySet<string> = new Set([
  'system',
  'request_welcome',
  'reaction',
  'edit',
  'revoke',
]);

/**
 * Converts a message. Content that an agent can only be told about is described in brackets. Returns undefined for
 * messages without content, in a group, or from a person without an identifier.
 */
export function inboundMessage(
  message: WireMessage,
  contacts: readonly WireContact[],
  nowIso: string,
): InboundMessage | undefined {
  const names = senderOf(message, contacts);
  if (!names || SILENT_TYPES.has(message.type)) return undefined;
  const { name, username } = contactOf(message, contacts)?.profile ?? {};
  const choice = choiceIn(message);
  const text = textOf(message);
  const files = filesOf(message);
  if (text === '' && files.length === 0) return undefined;
  return {
    from: directAddress({ kind: 'shared' }, names.remoteId),
    alias: names.alias,
    remoteName: name || username || null,
    senderName: null,
    platformMessageId: message.id,
    text,
    sentAt: sentAt(message, nowIso),
    files,
    replyTo: answeredIn(message),
    ...(choice !== null && { choice }),
  };
}

/** WhatsApp tells only the id. */
function answeredIn({ context }: WireMessage): AnsweredMessage | undefined {
  const platformMessageId = context?.id;
  return platformMessageId === undefined ? undefined : { platformMessageId, author: null, text: '' };
}

/** Returns who has reacted to which message; undefined: the message is no reaction. */
export function inboundReaction(
  message: WireMessage,
  contacts: readonly WireContact[],
): { readonly from: Address; readonly messageId: string; readonly emoji: string | null } | undefined {
  const { type, reaction } = message;
  const names = senderOf(message, contacts);
  if (type !== 'reaction' || reaction?.message_id === undefined || !names) return undefined;
  const from = directAddress({ kind: 'shared' }, names.remoteId);
  return { from, messageId: reaction.message_id, emoji: reaction.emoji || null };
}

/** Returns what a person has made of their message, null for nothing; undefined: the message is no edit. */
export function inboundEdit(
  message: WireMessage,
  contacts: readonly WireContact[],
): { readonly from: Address; readonly messageId: string; readonly text: string | null } | undefined {
  const names = senderOf(message, contacts);
  if (!names) return undefined;
  const from = directAddress({ kind: 'shared' }, names.remoteId);
  const { type, edit, revoke } = message;
  if (type === 'revoke' && revoke) return { from, messageId: revoke.original_message_id, text: null };
  if (type !== 'edit' || !edit) return undefined;
  const { text, image, video, document } = edit.message;
  const words = text?.body ?? (image ?? video ?? document)?.caption;
  return words === undefined ? undefined : { from, messageId: edit.original_message_id, text: words };
}

/** Undefined: somebody in a group, or without an identifier. */
function senderOf(message: WireMessage, contacts: readonly WireContact[]): ReturnType<typeof namesOf> {
  if (message.group_id !== undefined) return undefined;
  const contact = contactOf(message, contacts);
  return namesOf(message.from_user_id ?? contact?.user_id, message.from ?? contact?.wa_id);
}

/**
 * Returns a person's permanent identifier and alias; undefined when neither is available to us. People have two
 * identifiers on WhatsApp: a phone number, which people with a username may hide, and since 2026 a business-scoped user
 * id, which Meta always sends. The id is the permanent identifier here, and the number its alias.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 */
export function namesOf(
  userId: string | undefined,
  phone: string | undefined,
): { readonly remoteId: string; readonly alias: string | null } | undefined {
  if (userId) return { remoteId: userId, alias: phone || null };
  return phone ? { remoteId: phone, alias: null } : undefined;
}

/**
 * Finds the sender's contact. Batches hold several people. A single contact may carry fewer identifiers than the
 * message does.
 */
function contactOf(message: WireMessage, contacts: readonly WireContact[]): WireContact | undefined {
  return (
    contacts.find(({ user_id: userId }) => userId !== undefined && userId === message.from_user_id) ??
    contacts.find(({ wa_id: phone }) => phone !== undefined && phone === message.from) ??
    (contacts.length === 1 ? contacts[0] : undefined)
  );
}

/** Timestamp in whole seconds. Invalid and future times become the current time. */
function sentAt({ timestamp }: WireMessage, nowIso: string): string {
  const sent = new Date(timestamp * 1000);
  if (Number.isNaN(sent.getTime())) return nowIso;
  const iso = sent.toISOString();
  return iso < nowIso ? iso : nowIso;
}
