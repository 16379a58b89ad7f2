import type { Platform } from '../base/platform.ts';
import type { Conversation } from './conversations.ts';
import type { BotPlatform, Db } from './tables.ts';

/** A person whom the account knows to be its own. */
export interface OwnRemote {
  /** The connection's. */
  readonly id: string;
  readonly remoteId: string;
  readonly label: string;
}

/** The account's connection to a person at a platform, made last or of this id; undefined: there is none. */
export async function newestConnection(
  db: Db,
  accountId: string,
  platform: Platform,
  connectionId: string | null,
): Promise<OwnRemote | undefined> {
  const all = db
    .selectFrom('connections')
    .select(['id', 'remoteId', 'label'])
    .where('accountId', '=', accountId)
    .where('provider', '=', platform)
    .where('loginKey', 'is not', null)
    .where('remoteId', 'is not', null)
    .$narrowType<{ remoteId: string }>();
  const wanted = connectionId === null ? all : all.where('id', '=', connectionId);
  return await wanted.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** The account's own bot at a platform, registered last or of this id; undefined: there is none. */
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
    .where('platform', '=', platform as BotPlatform);
  const wanted = botId === null ? all : all.where('id', '=', botId);
  return await wanted.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** The active conversation of a bot that has the newest message; undefined: nobody has written to it. */
export async function newestBotConversation(db: Db, botId: string): Promise<Conversation | undefined> {
  return await db
    .selectFrom('conversations')
    .selectAll()
    .where('memberType', '=', 'bot_token')
    .where('memberId', '=', botId)
    .where('status', '=', 'active')
    .orderBy('lastSeq', 'desc')
    .limit(1)
    .executeTakeFirst();
}
