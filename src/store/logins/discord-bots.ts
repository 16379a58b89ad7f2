import type { Selectable } from 'kysely';
import { bit } from '../database/column-types.ts';
import type { Db } from '../database/tables.ts';
import type { DiscordChannelsTable } from './login-tables.ts';

/** A bot's session at Discord's gateway. */
export interface DiscordSession {
  readonly sessionId: string;
  readonly sequence: number;
  readonly resumeUrl: string;
}

/** A channel in which a bot has been addressed. */
export interface DiscordChannel extends Omit<Selectable<DiscordChannelsTable>, 'loginKey' | 'isListening'> {
  readonly isListening: boolean;
}

/** `botId` null: the bot that all accounts share. */
export interface DiscordBot {
  readonly loginKey: string;
  readonly botId: string | null;
  /** Discord's id of the bot. */
  readonly userId: string;
}

/** Adds a bot. If the login was another bot's, everything kept of that one is deleted. */
export async function claimDiscordBot(db: Db, bot: DiscordBot): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .deleteFrom('discordBots')
      .where('loginKey', '=', bot.loginKey)
      .where('userId', '!=', bot.userId)
      .execute();
    await trx
      .insertInto('discordBots')
      .values({ ...bot, sessionId: null, sequence: null, resumeUrl: null })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/** Null: none. */
export async function findDiscordSession(db: Db, loginKey: string): Promise<DiscordSession | null> {
  const row = await db
    .selectFrom('discordBots')
    .select(['sessionId', 'sequence', 'resumeUrl'])
    .where('loginKey', '=', loginKey)
    .executeTakeFirst();
  const { sessionId, sequence, resumeUrl } = row ?? {};
  return sessionId && resumeUrl ? { sessionId, sequence: sequence ?? 0, resumeUrl } : null;
}

/** Replaces a bot's session; null deletes it. Does nothing if the bot is gone. */
export async function putDiscordSession(
  db: Db,
  loginKey: string,
  session: DiscordSession | null,
): Promise<void> {
  await db
    .updateTable('discordBots')
    .set(session ?? { sessionId: null, sequence: null, resumeUrl: null })
    .where('loginKey', '=', loginKey)
    .execute();
}

export async function listDiscordChannels(db: Db, loginKey: string): Promise<DiscordChannel[]> {
  const rows = await db
    .selectFrom('discordChannels')
    .select(['channelId', 'guildId', 'personId', 'parentId', 'isListening', 'lastMessageId'])
    .where('loginKey', '=', loginKey)
    .execute();
  return rows.map((row) => ({ ...row, isListening: row.isListening === 1 }));
}

/** Adds or replaces a channel. */
export async function putDiscordChannel(db: Db, loginKey: string, channel: DiscordChannel): Promise<void> {
  const { channelId, ...others } = channel;
  const values = { ...others, isListening: bit(channel.isListening) };
  await db
    .insertInto('discordChannels')
    .values({ loginKey, channelId, ...values })
    .onConflict((conflict) => conflict.columns(['loginKey', 'channelId']).doUpdateSet(values))
    .execute();
}

/** Deletes everything kept of a bot. */
export async function deleteDiscordBot(db: Db, loginKey: string): Promise<void> {
  await db.deleteFrom('discordBots').where('loginKey', '=', loginKey).execute();
}
