import * as z from 'zod';
import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { makeTelegramLink } from '../../accounts/logins/telegram-link.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, route } from '../http/routing/route.ts';

const TelegramLink = z
  .object({
    deep_link: z.string().describe('Opens the bot in Telegram, where the person presses Start'),
    bot_name: z.string().describe("The bot's user name, such as `@my_bot`"),
    expires_at: z
      .string()
      .nullable()
      .describe('15 minutes from now; the link works once. Null: the link to your own bot does not expire'),
  })
  .meta({ id: 'TelegramLink' });

/** `POST /api/telegram/connect`: a deep link with which people start a Telegram chat with the account's agents. */
export function telegramRoutes(domain: AccountDomain): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/telegram/connect',
      access: 'config',
      operationId: 'connectTelegram',
      summary: 'Create a deep link to the bot on Telegram',
      description:
        'With a shared bot, a person who opens the link is connected to this account, and the previous link becomes invalid. Without a shared bot, the link leads to your newest bot.',
      tags: ['Platforms'],
      responses: {
        200: { description: 'The link', schema: TelegramLink },
        400: 'No telegram bot registered',
        403: 'Email address is not verified, or the credential is of the wrong kind',
        502: 'The shared bot is not logged in yet',
      },
      handler: async ({ principal }) => {
        const { url, botName, expiresAt } = await makeTelegramLink(domain, principal);
        return reply(200, { deep_link: url, bot_name: botName, expires_at: expiresAt });
      },
    }),
  ];
}
