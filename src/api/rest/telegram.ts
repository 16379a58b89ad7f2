import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { makeTelegramLink } from '../../accounts/logins/telegram-link.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, route } from '../http/routing/route.ts';
import { TelegramLink } from '../schema/telegram.ts';

/** `POST /api/telegram/connect`: a deep link with which people start a Telegram chat with the account's agents. */
export function telegramRoutes(domain: AccountDomain): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/telegram/connect',
      access: 'config',
      operationId: 'connectTelegram',
      summary: 'Make a deep link to the bot on Telegram',
      description:
        'Of the shared bot, the link binds whoever opens it to this account; the former link is void. Without a shared bot it leads to the newest of your own.',
      tags: ['Platforms'],
      responses: {
        200: { description: 'The link', schema: TelegramLink },
        400: 'No telegram bot registered',
        403: 'Email address is not verified, or the credential is of another kind',
        502: 'The shared bot could not be logged in so far',
      },
      handler: async ({ principal }) => {
        const { url, botName, expiresAt } = await makeTelegramLink(domain, principal);
        return reply(200, { deep_link: url, bot_name: botName, expires_at: expiresAt });
      },
    }),
  ];
}
