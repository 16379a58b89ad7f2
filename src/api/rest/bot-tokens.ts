import type { z } from 'zod';
import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { registerBot, removeBot } from '../../accounts/logins/bot-tokens.ts';
import { BOT_FIELDS } from '../../base/platform.ts';
import { listBots, type StoredBot } from '../../store/logins/bot-tokens.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Deleted } from '../schema/acknowledgements.ts';
import { BotToken, BotTokenBody, BotTokenList, BotTokenParams, neededFields } from '../schema/bot-token.ts';

const PATH = '/api/bot-tokens';
const config = resource('config', 'Platforms');

/** Routes for the account's own bots. */
export function botTokenRoutes(domain: AccountDomain): Route[] {
  return [
    config.get(PATH, {
      operationId: 'listBotTokens',
      summary: 'List the registered bots',
      responses: {
        200: { description: 'The bots, oldest first, without their tokens', schema: BotTokenList },
      },
      handler: async ({ principal }) =>
        reply(200, { bot_tokens: (await listBots(domain.store.db, principal.accountId)).map(wireOf) }),
    }),
    config.post(PATH, {
      operationId: 'registerBotToken',
      summary: 'Register a bot of your own',
      description:
        'The bot joins the default agent. Its secrets are stored encrypted and never shown. The gateway logs the bot in if it has a connector for the platform.',
      body: BotTokenBody,
      responses: { 200: { description: 'The bot', schema: BotToken } },
      fails: ['bot_token_malformed', 'bot_refused', 'email_not_verified', 'bot_token_taken', 'cap_reached'],
      handler: async ({ principal, body }) => {
        const { platform, bot_token: token } = body;
        const needed = neededFields(platform);
        const given = (field: (typeof needed)[number]) => (needed.includes(field) && body[field]) || null;
        const bot = await registerBot(domain, principal, {
          platform,
          token,
          appId: given(BOT_FIELDS.appId),
          signingSecret: given(BOT_FIELDS.signingSecret),
          appToken: given(BOT_FIELDS.appToken),
        });
        return reply(200, wireOf(bot));
      },
    }),
    config.delete(`${PATH}/{bot_id}`, {
      operationId: 'deleteBotToken',
      summary: 'Delete a bot',
      params: BotTokenParams,
      responses: { 200: { description: 'Deleted', schema: Deleted } },
      fails: ['bot_token_not_found'],
      handler: async ({ principal, params }) => {
        await removeBot(domain, principal, params.bot_id);
        return reply(200, { status: 'deleted' as const });
      },
    }),
  ];
}

function wireOf(bot: StoredBot): z.output<typeof BotToken> {
  return {
    id: bot.id,
    platform: bot.platform,
    bot_name: bot.botName,
    status: bot.status,
    [BOT_FIELDS.appId]: bot.appId,
    created_at: bot.createdAt,
  };
}
