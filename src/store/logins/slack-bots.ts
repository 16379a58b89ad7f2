import type { Selectable } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { SlackBotsTable } from './login-tables.ts';

/** Who a bot is at Slack. */
export type SlackBot = Selectable<SlackBotsTable>;

/** Undefined: the bot has never been logged in. */
export async function findSlackBot(db: Db, botId: string): Promise<SlackBot | undefined> {
  return await db.selectFrom('slackBots').selectAll().where('botId', '=', botId).executeTakeFirst();
}

/** Stores who a bot is, in place of what was stored. Returns false when another bot is the same at Slack. */
export async function claimSlackBot(db: Db, bot: SlackBot): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    const same = await trx
      .selectFrom('slackBots')
      .select('botId')
      .where('teamId', '=', bot.teamId)
      .where('userId', '=', bot.userId)
      .executeTakeFirst();
    if (same && same.botId !== bot.botId) return false;
    const { botId: _id, ...identity } = bot;
    await trx
      .insertInto('slackBots')
      .values(bot)
      .onConflict((conflict) => conflict.column('botId').doUpdateSet(identity))
      .execute();
    return true;
  });
}
