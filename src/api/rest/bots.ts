import * as z from 'zod';
import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { makeInviteLink } from '../../accounts/account/invite-link.ts';
import { type LinkingPlatform, makeBotLink } from '../../accounts/logins/bot-link.ts';
import { registerBot, removeBot } from '../../accounts/logins/bot-tokens.ts';
import { BOT_FIELDS, INVITE_URL, noLoginText, PLATFORM_TRAITS } from '../../base/platform.ts';
import { listBots, type StoredBot } from '../../store/logins/bot-tokens.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Deleted, deleted } from '../schema/acknowledgements.ts';
import { BotToken, BotTokenBody, BotTokenList, BotTokenParams, neededFields } from '../schema/bot-token.ts';
import { named } from '../schema/fields.ts';

const PATH = '/api/bot-tokens';
const config = resource('config', 'Platforms');

/**
 * Routes for the account's own bots, and for the links with which people reach its agents: on every platform with links
 * to its bots, and an invite token that assigns a contact on WhatsApp, Telegram or Discord to the account.
 */
export function botRoutes(domain: AccountDomain): Route[] {
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
      fails: [
        'bot_token_malformed',
        'bot_refused',
        'email_not_verified',
        'bot_token_taken',
        { cap_reached: 'The account has reached its limit of bots' },
      ],
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
      handler: ({ principal, params }) => deleted(removeBot(domain, principal, params.bot_id)),
    }),
    config.post('/api/invite-link', {
      operationId: 'makeInviteLink',
      summary: 'Create an invite token for WhatsApp, Telegram or Discord',
      description: 'Valid once, for 15 minutes. It replaces the previous one.',
      responses: { 200: { description: 'The token', schema: InviteLink } },
      fails: ['email_not_verified', { cap_reached: 'The account has reached its limit of connections' }],
      handler: async ({ principal }) => {
        const { token, expiresAt } = await makeInviteLink(domain, principal);
        return reply(200, {
          invite_token: token,
          expires_at: expiresAt,
          [INVITE_URL.field]: inviteUrl(domain, token),
        });
      },
    }),
    ...[...domain.calls.connectors.values()].flatMap(({ platform, provides }) => {
      const { deepLinks: links } = provides;
      return links === undefined ? [] : [connect(domain, { platform, provides, links })];
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

export const InviteLink = named('InviteLink', {
  invite_token: z.string().describe('Shown only in this answer'),
  expires_at: z.string().describe('15 minutes from now'),
  [INVITE_URL.field]: z
    .string()
    .nullable()
    .describe(
      'Opens a chat with the WhatsApp number and a prepared message that contains the token. Null if the gateway has no number or does not know it yet',
    ),
});

/** Returns the URL that carries an invite token; null when the platform has no connector, or cannot tell yet. */
function inviteUrl({ calls }: AccountDomain, token: string): string | null {
  return calls.connectors.get(INVITE_URL.platform)?.provides.invitations?.inviteUrl(token) ?? null;
}

const LINKED =
  'With a shared bot, a person who opens the link is connected to this account, and the previous link becomes invalid. Without a shared bot, the link leads to your newest bot.';
const TYPED =
  'With a shared bot, a person who sends it the code is connected to this account, and the previous code becomes invalid. Without a shared bot, the link leads to your newest bot.';

/** `POST /api/<platform>/connect`: a link with which people start a chat with the account's agents. */
function connect(domain: AccountDomain, target: LinkingPlatform): Route {
  const { platform, links } = target;
  const { title } = PLATFORM_TRAITS[platform];
  const name = title.replaceAll(' ', '');
  return config.post(`/api/${platform}/connect`, {
    operationId: `connect${name}`,
    summary: `Create a deep link to the bot on ${title}`,
    description: links.carriesToken ? LINKED : TYPED,
    responses: { 200: { description: 'The link', schema: linkSchema(`${name}Link`, links.linkHint) } },
    fails: [
      'email_not_verified',
      'cap_reached',
      {
        platform_not_configured: noLoginText(platform),
        platform_failed: 'The shared bot is not logged in yet',
      },
    ],
    handler: async ({ principal }) => {
      const { url, botName, code, expiresAt } = await makeBotLink(domain, principal, target);
      return reply(200, { deep_link: url, bot_name: botName, code, expires_at: expiresAt });
    },
  });
}

function linkSchema(id: string, hint: string) {
  return named(id, {
    deep_link: z.string().describe(hint),
    bot_name: z.string().describe("The bot's user name, such as `@my_bot`"),
    code: z
      .string()
      .nullable()
      .describe('What the person sends to the shared bot, if the link does not contain it; works once'),
    expires_at: z
      .string()
      .nullable()
      .describe('15 minutes from now; the link works once. Null: the link to your own bot does not expire'),
  });
}
