import { type Address, type LoginRef, loginOfKey } from '../../base/address.ts';
import { GatewayError } from '../../base/errors.ts';
import { unservedText } from '../../base/platform.ts';
import type {
  Messenger,
  OutboundFile,
  OutboundMessage,
  SendOutcome,
} from '../../connectors/contract/messenger.ts';
import { type Db, findRow } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import type { Message } from '../../store/messages/messages.ts';
import { placeOf } from '../../store/messages/spaces.ts';
import type { Store } from '../../store/store.ts';
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
  { store, filesOf }: SendingDeps,
  { id: messageId, text, seq }: Message,
  conversation: Conversation,
): Promise<OutboundMessage | Unsendable> {
  const to = await addressOf(store.db, conversation);
  if (to === null) return ACCOUNT_GONE;
  try {
    return { messageId, to, text, attachments: await filesOf(seq) };
  } catch (error) {
    const reason = `A file could not be read: ${(error as Error).message}`;
    return { kind: 'refused', reason, isAddressGone: false };
  }
}
