import { type Address, directAddress, type LoginRef } from '../../../base/address.ts';
import type { InboundMessage, InboundReaction } from '../../contract/messenger.ts';
import type { Message } from '../objects.ts';
import { answeredIn, filesOf, nameOf, plainText } from './message-text.ts';

/** Types of actors who are people. Bots, Talk itself and other servers' bridges are none. */
const PEOPLE: ReadonlySet<string> = new Set(['users', 'guests', 'emails', 'federated_users']);
/** Types of messages that nobody writes. Talk 16 called shared files `system`, like its own notices. */
const NOT_WRITTEN: ReadonlySet<string> = new Set(['comment_deleted', 'command']);

/** Who reads. */
export interface Reader {
  readonly login: LoginRef;
  /** The bot's user. */
  readonly ownId: string;
  /** The person whose bot it is. */
  readonly owner: string;
}

/** Where it is read. */
export interface Place {
  readonly token: string;
  readonly kind: 'direct' | 'channel';
  readonly name: string;
}

export type Reading =
  | { readonly kind: 'written'; readonly inbound: InboundMessage }
  /** `text` null: it was deleted. */
  | {
      readonly kind: 'edited';
      readonly from: Address;
      readonly messageId: string;
      readonly text: string | null;
    }
  | { readonly kind: 'reaction'; readonly from: Address; readonly reaction: InboundReaction };

/** Returns what a message of a room says about people's messages; null when there is nothing to store. */
export function readMessage(message: Message, place: Place, reader: Reader): Reading | null {
  switch (message.systemMessage) {
    case '':
      return readWritten(message, place, reader);
    case 'message_edited':
    case 'message_deleted':
      return readChange(message, place, reader);
    case 'reaction':
    case 'reaction_revoked':
      return readReaction(message, place, reader);
    default:
      return null;
  }
}

/** Talk's command in a message of the owner; null: it is none. */
export function commandIn(message: Message, { owner }: Reader): 'activate' | 'deactivate' | null {
  const isOwners = message.actorType === 'users' && message.actorId === owner && message.systemMessage === '';
  const [, command] = isOwners ? (/^\s*\/(activate|deactivate)\s*$/.exec(message.message) ?? []) : [];
  return command === 'activate' || command === 'deactivate' ? command : null;
}

function readWritten(message: Message, place: Place, reader: Reader): Reading | null {
  const from = addressOf(message, place, reader);
  if (from === null || NOT_WRITTEN.has(message.messageType)) return null;
  const text = plainText(message, reader.ownId);
  const files = filesOf(message);
  if (text === '' && files.length === 0) return null;
  const inbound = {
    from,
    alias: null,
    remoteName: place.kind === 'direct' ? nameOf(message) : place.name,
    senderName: place.kind === 'direct' ? null : nameOf(message),
    platformMessageId: `${message.id}`,
    text,
    sentAt: new Date(message.timestamp * 1_000).toISOString(),
    files,
    replyTo: answeredIn(message, reader.ownId),
  };
  return { kind: 'written', inbound };
}

/** Talk tells of a change with the message as it is now. */
function readChange({ systemMessage, parent }: Message, place: Place, reader: Reader): Reading | null {
  if (!parent) return null;
  const from = addressOf(parent, place, reader);
  if (from === null) return null;
  const isDeleted = systemMessage === 'message_deleted' || parent.messageType === 'comment_deleted';
  const text = isDeleted ? null : plainText(parent, reader.ownId);
  return { kind: 'edited', from, messageId: `${parent.id}`, text };
}

/** The text of a reaction is its emoji. Of one that was taken back, Talk tells only the message. */
function readReaction(message: Message, place: Place, reader: Reader): Reading | null {
  const { parent, systemMessage, message: emoji } = message;
  const from = addressOf(
    { ...message, threadId: parent?.threadId, isThread: parent?.isThread },
    place,
    reader,
  );
  if (!parent || from === null) return null;
  const isAdded = systemMessage === 'reaction';
  const senderName = nameOf(message);
  const platformMessageId = `${parent.id}`;
  return {
    kind: 'reaction',
    from,
    reaction: { platformMessageId, emoji: isAdded ? emoji : null, isAdded, senderName },
  };
}

/** Returns where a person wrote; null when it was no person. */
function addressOf(
  message: Omit<Message, 'parent'>,
  { kind, token }: Place,
  { login, ownId, owner }: Reader,
): Address | null {
  const { actorType, actorId } = message;
  if (!PEOPLE.has(actorType) || actorId === '' || isBotUser(actorId, ownId)) return null;
  const thread = threadOf(message);
  const person = actorType === 'users' ? actorId : `${actorType}/${actorId}`;
  if (kind === 'direct') return person === owner ? { ...directAddress(login, owner), thread } : null;
  return { login, space: { kind, id: token }, thread, person };
}

/** Since Talk 22. Before it, and outside of threads that people have made, a reply is a message like any other. */
function threadOf({ id, threadId, isThread }: Omit<Message, 'parent'>): string | null {
  return isThread === true && threadId !== undefined && threadId > 0 && threadId !== id
    ? `${threadId}`
    : null;
}

/** The bots of all accounts on a Nextcloud have users named alike: `<brand>-bot-<random>`. They do not answer each other. */
function isBotUser(actorId: string, ownId: string): boolean {
  const [prefix] = /^.+-bot-(?=[a-z0-9]+$)/.exec(ownId) ?? [];
  return actorId === ownId || (prefix !== undefined && actorId.startsWith(prefix));
}
