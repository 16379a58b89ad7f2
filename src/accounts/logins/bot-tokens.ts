import { GatewayError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { Platform } from '../../base/platform.ts';
import { hangUpLogin } from '../../calls/hang-up-call.ts';
import { countRows, deleteRows } from '../../store/database/rows.ts';
import {
  type BotSecrets,
  deleteBot,
  hasBotToken,
  insertBot,
  type StoredBot,
} from '../../store/logins/bot-tokens.ts';
import { ownsMember } from '../../store/logins/platform-accounts.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import type { AccountDomain } from '../account/account-domain.ts';
import { assertBelow, CAPS } from '../account/caps.ts';
import { joinDefaultAgent } from '../account/default-agent.ts';
import { requireVerifiedAddress } from '../people/verified-address.ts';
import { botHost } from './hosted-bots.ts';

/** Status of a bot until a connector has logged it in and reported its state. */
const FIRST_STATUS = 'registered';

/** A bot to register. */
export interface NewBot extends BotSecrets {
  readonly platform: Platform;
  /** The id of the bot's application, on platforms that need it. */
  readonly appId: string | null;
}

/**
 * Stores a bot with its secrets encrypted, adds it to the default agent, and logs it in if the platform has a
 * connector. Throws `email_not_verified`, `cap_reached`, `bot_token_taken`, `bot_token_malformed`, or `bot_refused`
 * when the platform rejects the token.
 */
export async function registerBot(domain: AccountDomain, actor: Actor, wanted: NewBot): Promise<StoredBot> {
  const bot = await storeBot(domain, actor, wanted);
  const host = botHost(domain, wanted.platform);
  if (host === null) return bot;
  try {
    const { name, status } = await host.addBot({
      id: bot.id,
      accountId: actor.accountId,
      token: wanted.token,
      appId: wanted.appId,
      signingSecret: wanted.signingSecret,
      appToken: wanted.appToken,
    });
    // The bot or the account may have been deleted meanwhile, before there was a login to end.
    const isKept = await ownsMember(domain.store.db, actor.accountId, { type: 'bot_token', id: bot.id });
    if (!isKept) await host.removeBot(bot.id);
    return { ...bot, botName: name, status };
  } catch (error) {
    // The bot is stored before the login, because messages may arrive as soon as it is logged in.
    await forgetBot(domain, actor, bot.id);
    throw error;
  }
}

async function storeBot(domain: AccountDomain, actor: Actor, wanted: NewBot): Promise<StoredBot> {
  const { accountId } = actor;
  const { platform, appId, ...secrets } = wanted;
  const createdAt = domain.clock.nowIso();
  const bot = {
    id: newId('bot'),
    accountId,
    platform,
    botName: null,
    status: FIRST_STATUS,
    appId,
    createdAt,
  };
  await domain.store.db.transaction().execute(async (trx) => {
    await requireVerifiedAddress(trx, accountId);
    assertBelow(CAPS.bots, await countRows(trx, 'botTokens', { accountId }), 'bots');
    const box = domain.store.secrets;
    if (await hasBotToken(trx, box, accountId, { platform, token: secrets.token }))
      throw new GatewayError('bot_token_taken');
    await insertBot(trx, box, bot, secrets);
    const member = { type: 'bot_token', id: bot.id } as const;
    const agentId = await joinDefaultAgent(trx, accountId, member, createdAt);
    await audit(trx, actor, {
      action: 'bot_token.create',
      subject: bot.id,
      detail: { platform, appId, agentId },
    });
  });
  return bot;
}

/** Deletes a bot, removes it from every agent, ends its calls and logs it out. Throws `bot_token_not_found`. */
export async function removeBot(domain: AccountDomain, actor: Actor, botId: string): Promise<void> {
  const { platform } = await forgetBot(domain, actor, botId);
  const login = { kind: 'bot_token', id: botId } as const;
  await hangUpLogin(domain.calls, actor.accountId, login, 'the bot was deleted');
  await botHost(domain, platform)?.removeBot(botId);
}

async function forgetBot({ store }: AccountDomain, actor: Actor, botId: string): Promise<StoredBot> {
  return await store.db.transaction().execute(async (trx) => {
    const bot = await deleteBot(trx, actor.accountId, botId);
    if (!bot) throw new GatewayError('bot_token_not_found');
    await deleteRows(trx, 'agentAccounts', { memberType: 'bot_token', memberId: botId });
    await audit(trx, actor, {
      action: 'bot_token.delete',
      subject: botId,
      detail: { platform: bot.platform },
    });
    return bot;
  });
}
