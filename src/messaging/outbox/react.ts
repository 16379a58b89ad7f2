import { GatewayError } from '../../base/errors.ts';
import { TimeLimit } from '../../base/time.ts';
import { findRow } from '../../store/database/rows.ts';
import { findConversation } from '../../store/messages/conversations.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import type { OutboundDomain, Writer } from './outbound-domain.ts';
import { addressOf, platformIdOf, requireMessenger } from './stored-message.ts';

const REACT_MS = 20_000;

/** An agent's request to react to a message, or to take that back. */
export interface ReactRequest {
  readonly platform: MessagePlatform;
  readonly messageId: string;
  readonly emoji: string;
  readonly isAdded: boolean;
  /** The conversation in which the message has to be. Default: any of the scope's. */
  readonly conversationId?: string;
}

/**
 * Adds a reaction to a message of a conversation, or takes it back. Resolves when the platform has done so.
 * @throws GatewayError `message_not_found`, `no_conversation`, `capability_missing`, `platform_not_configured`, `send_failed`
 */
export async function react(
  domain: OutboundDomain,
  { scope }: Pick<Writer, 'scope'>,
  { platform, messageId, emoji, isAdded, conversationId }: ReactRequest,
): Promise<void> {
  const { db } = domain.store;
  const message = await findRow(db, 'messages', { id: messageId, accountId: scope.accountId });
  const conversation = message && (await findConversation(db, scope, message.conversationId));
  const isWanted = conversationId === undefined || conversation?.id === conversationId;
  if (conversation?.platform !== platform || !isWanted) throw new GatewayError('message_not_found');
  if (conversation.status !== 'active') throw new GatewayError('no_conversation');
  const { reactions } = platform === 'agent' ? {} : requireMessenger(domain, conversation);
  if (!reactions) throw new GatewayError('capability_missing', `The ${platform} platform has no reactions`);
  const [to, platformMessageId] = [await addressOf(db, conversation), await platformIdOf(db, messageId)];
  if (to === null) throw new GatewayError('no_conversation');
  if (platformMessageId === null)
    throw new GatewayError('message_not_found', 'The platform does not have the message');
  const limit = new TimeLimit(domain.clock, REACT_MS);
  const reaction = { platformMessageId, emoji, isAdded };
  const outcome = await reactions.react(to, reaction, limit.signal).finally(() => limit.close());
  if (outcome.kind === 'failed') throw new GatewayError('send_failed', `Failed to react: ${outcome.reason}`);
}
