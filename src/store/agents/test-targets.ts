import type { Platform } from '../../base/platform.ts';
import type { Db } from '../database/rows.ts';
import type { Conversation } from '../messages/conversations.ts';

/** A person known to be the account's own. */
export interface OwnRemote {
  /** The connection's id. */
  readonly id: string;
  readonly remoteId: string;
  readonly label: string;
  readonly createdAt: string;
}

/** A bot's conversation with its owner. */
export interface OwnedBot {
  readonly conversation: Conversation;
  /** When the bot was registered. */
  readonly createdAt: string;
}

/**
 * Returns the account's connection to a person on a platform: the one with this id, or the newest. Undefined: none
 * found.
 */
export async function newestConnection(
  db: Db,
  accountId: string,
  platform: Platform,
  connectionId: string | null,
): Promise<OwnRemote | undefined> {
  const all = db
    .selectFrom('connections')
    .select(['id', 'remoteId', 'label', 'createdAt'])
    .where('accountId', '=', accountId)
    .where('provider', '=', platform)
    .where('remoteId', 'is not', null)
    .where('spaceKind', '=', 'direct')
    .$narrowType<{ remoteId: string }>();
  const wanted = connectionId === null ? all : all.where('id', '=', connectionId);
  return await wanted.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** Returns the account's bot on a platform: the one with this id, or the newest. Undefined: none found. */
export async function newestBot(
  db: Db,
  accountId: string,
  platform: Platform,
  botId: string | null,
): Promise<{ readonly id: string } | undefined> {
  const all = db
    .selectFrom('botTokens')
    .select('id')
    .where('accountId', '=', accountId)
    .where('platform', '=', platform);
  const wanted = botId === null ? all : all.where('id', '=', botId);
  return await wanted.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** Like `newestBot`, but only considers bots with a known owner. */
export async function newestOwnedBot(
  db: Db,
  accountId: string,
  platform: Platform,
  botId: string | null,
): Promise<OwnedBot | undefined> {
  const all = db
    .selectFrom('botOwners')
    .innerJoin('botTokens', 'botTokens.id', 'botOwners.botId')
    .innerJoin('conversations', 'conversations.id', 'botOwners.conversationId')
    .selectAll('conversations')
    .select('botTokens.createdAt as registeredAt')
    .where('botTokens.accountId', '=', accountId)
    .where('botTokens.platform', '=', platform)
    .where('conversations.accountId', '=', accountId);
  const wanted = botId === null ? all : all.where('botTokens.id', '=', botId);
  const newestFirst = wanted.orderBy('botTokens.createdAt', 'desc').orderBy('botTokens.id', 'desc');
  const found = await newestFirst.limit(1).executeTakeFirst();
  if (!found) return undefined;
  const { registeredAt, ...conversation } = found;
  return { conversation, createdAt: registeredAt };
}
