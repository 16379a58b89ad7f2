import { GatewayError } from '../../base/errors.ts';
import { unservedText } from '../../base/platform.ts';
import type {
  Address,
  LoginRef,
  Messenger,
  OutboundFile,
  OutboundMessage,
  SendOutcome,
} from '../../connectors/contract/messenger.ts';
import type { Db } from '../../store/database/tables.ts';
import { type Conversation, findAnyConversation } from '../../store/messages/conversations.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import type { Message } from '../../store/messages/messages.ts';
import { findAnyMessage, loginKeyOf } from '../../store/messages/outbound-messages.ts';
import type { Store } from '../../store/store.ts';

/** Dependencies for sending stored messages. */
export interface SendingDeps {
  readonly store: Pick<Store, 'db'>;
  readonly messengers: ReadonlyMap<MessagePlatform, Messenger>;
  /** Returns a message's files in order. Rejects with GatewayError `file_gone` when one no longer exists. */
  readonly filesOf: (messageSeq: number) => Promise<readonly OutboundFile[]>;
}

const NO_WAY_THERE: SendOutcome = {
  kind: 'refused',
  reason: 'The platform account of this conversation was removed',
  isAddressGone: true,
};

/** Returns the address that a conversation's messages go to. Null: its platform account is gone. */
export async function addressOf(db: Db, conversation: Conversation): Promise<Address | null> {
  const login = await loginOf(db, conversation);
  return login && { login, remoteId: conversation.remoteId };
}

async function loginOf(db: Db, { memberType, memberId }: Conversation): Promise<LoginRef | null> {
  if (memberId === null) return null;
  if (memberType === 'bot_token') return { kind: 'bot_token', id: memberId };
  const key = memberType === 'connection' ? await loginKeyOf(db, memberId) : undefined;
  if (key === undefined) return null;
  return key === 'shared' ? { kind: 'shared' } : { kind: 'bot_token', id: key };
}

/** Converts a stored message for its messenger. */
export function outboundOf(
  { id, text }: Message,
  to: Address,
  attachments: readonly OutboundFile[],
): OutboundMessage {
  return { messageId: id, to, text, attachments };
}

/** Returns the messenger of a conversation's platform. Undefined: the gateway has none. */
export function messengerOf(
  { messengers }: Pick<SendingDeps, 'messengers'>,
  { platform }: Conversation,
): Messenger | undefined {
  return messengers.get(platform);
}

/** Like `messengerOf`, but throws `platform_not_configured` when the gateway has none. */
export function requireMessenger(
  deps: Pick<SendingDeps, 'messengers'>,
  conversation: Conversation,
): Messenger {
  const messenger = messengerOf(deps, conversation);
  if (!messenger) throw new GatewayError('platform_not_configured', unservedText(conversation.platform));
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
  const message = await findAnyMessage(db, messageId);
  const conversation = message && (await findAnyConversation(db, message.conversationId));
  const to = conversation ? await addressOf(db, conversation) : null;
  const messenger = conversation && messengerOf(deps, conversation);
  if (!message || !messenger || to === null) return NO_WAY_THERE;
  const files = await filesOr(deps, message.seq);
  if (typeof files === 'string') return { kind: 'refused', reason: files, isAddressGone: false };
  return await messenger.send(outboundOf(message, to, files), signal);
}

/** Returns a message's files, or the reason why they cannot be read. */
export async function filesOr(
  { filesOf }: Pick<SendingDeps, 'filesOf'>,
  messageSeq: number,
): Promise<readonly OutboundFile[] | string> {
  try {
    return await filesOf(messageSeq);
  } catch (error) {
    return `A file could not be read: ${(error as Error).message}`;
  }
}
