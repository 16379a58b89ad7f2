import * as z from 'zod';
import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { type LinkingPlatform, makeBotLink } from '../../accounts/logins/bot-link.ts';
import { PLATFORM_TRAITS } from '../../base/platform.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';

const config = resource('config', 'Platforms');

/**
 * `POST /api/<platform>/connect`: a link with which people start a chat with the account's agents, on every platform
 * with links to its bots.
 */
export function botLinkRoutes(domain: AccountDomain): Route[] {
  return [...domain.calls.connectors.values()].flatMap(({ platform, provides }) => {
    const { deepLinks: links } = provides;
    return links === undefined ? [] : [connect(domain, { platform, provides, links })];
  });
}

const LINKED =
  'With a shared bot, a person who opens the link is connected to this account, and the previous link becomes invalid. Without a shared bot, the link leads to your newest bot.';
const TYPED =
  'With a shared bot, a person who sends it the code is connected to this account, and the previous code becomes invalid. Without a shared bot, the link leads to your newest bot.';

function connect(domain: AccountDomain, target: LinkingPlatform): Route {
  const { platform, links } = target;
  const { title } = PLATFORM_TRAITS[platform];
  const name = title.replaceAll(' ', '');
  return config.post(`/api/${platform}/connect`, {
    operationId: `connect${name}`,
    summary: `Create a deep link to the bot on ${title}`,
    description: links.carriesToken ? LINKED : TYPED,
    responses: { 200: { description: 'The link', schema: linkSchema(`${name}Link`, links.linkHint) } },
    fails: ['platform_not_configured', 'email_not_verified', 'cap_reached', 'platform_failed'],
    handler: async ({ principal }) => {
      const { url, botName, code, expiresAt } = await makeBotLink(domain, principal, target);
      return reply(200, { deep_link: url, bot_name: botName, code, expires_at: expiresAt });
    },
  });
}

function linkSchema(id: string, hint: string) {
  return z
    .object({
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
    })
    .meta({ id });
}
