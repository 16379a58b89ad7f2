import { GatewayError } from '../../base/errors.ts';
import type { Platform } from '../../base/platform.ts';
import type { Clock } from '../../base/time.ts';
import { type Db, findRow, putRow } from '../../store/database/rows.ts';
import { findBotOwner } from '../../store/logins/bot-tokens.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import type { Store } from '../../store/store.ts';

/** A bot's owner, identified by their conversation with it. */
export interface BotOwner {
  readonly botId: string;
  readonly conversationId: string;
  readonly remoteName: string | null;
}

/**
 * Marks the person in a conversation as the owner of the account's bot. Throws `conversation_not_found`,
 * `owner_is_linked` when the conversation belongs to a connection, and `owner_in_channel` when it is not a direct one.
 */
export async function markOwner(
  { store, clock }: { readonly store: Pick<Store, 'db'>; readonly clock: Clock },
  actor: Actor,
  platform: Platform,
  conversationId: string,
): Promise<BotOwner> {
  return await store.db.transaction().execute(async (trx) => {
    const conversation = await findRow(trx, 'conversations', { id: conversationId });
    if (conversation?.accountId !== actor.accountId || conversation.platform !== platform)
      throw new GatewayError('conversation_not_found');
    if (conversation.memberType === 'connection') throw new GatewayError('owner_is_linked');
    if (conversation.spaceKind !== 'direct') throw new GatewayError('owner_in_channel');
    return await ownBot(trx, actor, conversation, clock.nowIso());
  });
}

/** Makes the person in a bot's conversation its owner. Call it in a transaction. Throws `conversation_not_found`. */
export async function ownBot(
  db: Db,
  actor: Actor,
  conversation: Conversation,
  nowIso: string,
): Promise<BotOwner> {
  const { id: conversationId, accountId, remoteName } = conversation;
  const botId = await botOf(db, conversation);
  await putRow(db, 'botOwners', { botId, accountId, conversationId, createdAt: nowIso }, { key: ['botId'] });
  await audit(db, actor, { action: 'bot_owner.mark', subject: botId, detail: { conversationId } });
  return { botId, conversationId, remoteName };
}

/** Conversations remain after their bot is removed. */
async function botOf(db: Db, { platform, memberType, memberId, accountId }: Conversation): Promise<string> {
  if (platform === 'agent' || memberType !== 'bot_token' || memberId === null)
    throw new GatewayError('conversation_not_found');
  if ((await findBotOwner(db, platform, memberId)) !== accountId)
    throw new GatewayError('conversation_not_found');
  return memberId;
}
