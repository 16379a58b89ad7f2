import { type Address, type LoginRef, loginOfKey } from '../../base/address.ts';
import { GatewayError } from '../../base/errors.ts';
import { unservedText } from '../../base/platform.ts';
import type {
  Messenger,
  OutboundFile,
  OutboundMessage,
  SendOutcome,
} from '../../connectors/contract/messenger.ts';
import { type Db, findRow, listRows } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import type { Message } from '../../store/messages/messages.ts';
import { placeOf } from '../../store/messages/spaces.ts';
import type { Store } from '../../store/store.ts';
import { composedText } from './composed-text.ts';
import type { SendingTurns } from './sending-turns.ts';

/** Dependencies for sending stored messages. */
export interface SendingDeps {
  readonly store: Pick<Store, 'db' | 'quota'>;
  readonly messengers: ReadonlyMap<MessagePlatform, Messenger>;
  readonly turns: SendingTurns;
  /** Returns a message's files in order. Rejects with GatewayError `file_gone` when one no longer exists. */
  readonly filesOf: (messageSeq: number) => Promise<readonly OutboundFile[]>;
}

/** A message that cannot be sent, and why. */
type Unsendable = Extract<SendOutcome, { readonly kind: 'refused' }>;

const ACCOUNT_GONE: Unsendable = {
  kind: 'refused',
  reason: 'The platform account of this conversation was removed',
  isAddressGone: true,
};

/** Returns the address that a conversation's messages go to. Null: its platform account is gone. */
export async function addressOf(db: Db, conversation: Conversation): Promise<Address | null> {
  const login = await loginOf(db, conversation);
  if (login === null) return null;
  const { space, thread } = placeOf(conversation);
  return { login, space, thread, person: space.kind === 'direct' ? space.id : null };
}

async function loginOf(db: Db, { memberType, memberId }: Conversation): Promise<LoginRef | null> {
  if (memberId === null) return null;
  if (memberType === 'bot_token') return { kind: 'bot_token', id: memberId };
  const connection = memberType === 'connection' && (await findRow(db, 'connections', { id: memberId }));
  if (!connection) return null;
  const { loginKey } = connection;
  return loginKey === null ? { kind: 'connection', id: memberId } : loginOfKey(loginKey);
}

/** Returns the messenger of a conversation's platform. Throws `platform_not_configured` when the gateway has none. */
export function requireMessenger(
  { messengers }: Pick<SendingDeps, 'messengers'>,
  { platform }: Conversation,
): Messenger {
  const messenger = messengers.get(platform);
  if (!messenger) throw new GatewayError('platform_not_configured', unservedText(platform));
  return messenger;
}

/**
 * Tries once to send a stored message, without storing the outcome. A message that cannot be sent at all is `refused`.
 */
export async function sendStored(
  deps: SendingDeps,
  messageId: string,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { db } = deps.store;
  const message = await findRow(db, 'messages', { id: messageId });
  const conversation = message && (await findRow(db, 'conversations', { id: message.conversationId }));
  const messenger = conversation && deps.messengers.get(conversation.platform);
  if (!messenger) return ACCOUNT_GONE;
  const outbound = await outboundOf(deps, message, conversation);
  return 'kind' in outbound ? outbound : await messenger.send(outbound, signal);
}

/** Returns a stored message as its messenger takes it, with its files. */
export async function outboundOf(
  { store, messengers, filesOf }: SendingDeps,
  message: Message,
  conversation: Conversation,
): Promise<OutboundMessage | Unsendable> {
  const to = await addressOf(store.db, conversation);
  const messenger = messengers.get(conversation.platform);
  if (to === null) return ACCOUNT_GONE;
  try {
    const attachments = await filesOf(message.seq);
    return { messageId: message.id, to, attachments, ...(await contentFor(store.db, messenger, message)) };
  } catch (error) {
    const reason = `A file could not be read: ${(error as Error).message}`;
    return { kind: 'refused', reason, isAddressGone: false };
  }
}

/** Returns the text, and what else of a stored message its platform takes. */
export async function contentFor(
  db: Db,
  messenger: Messenger | undefined,
  message: Pick<Message, 'text' | 'replyTo' | 'choices'>,
): Promise<Pick<OutboundMessage, 'text' | 'replyTo' | 'choices'>> {
  if (!messenger) return { text: message.text };
  const answeredId = messenger.quotes ? await platformIdOf(db, message.replyTo?.messageId ?? null) : null;
  return {
    text: composedText(messenger, message, answeredId !== null),
    ...(answeredId !== null && { replyTo: answeredId }),
    ...(messenger.choices && message.choices && { choices: message.choices }),
  };
}

/** Returns the platform's id of a message, or of the first part in which it was sent. Null: it has none. */
export async function platformIdOf(db: Db, messageId: string | null): Promise<string | null> {
  const message = messageId === null ? undefined : await findRow(db, 'messages', { id: messageId });
  if (!message) return null;
  const [first] = await listRows(db, 'platformMessages', { messageSeq: [message.seq] }, [
    'platformMessageId',
  ]);
  return first?.platformMessageId ?? null;
}
