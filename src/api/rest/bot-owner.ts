import * as z from 'zod';
import { BOT_PLATFORMS } from '../../base/platform.ts';
import type { Clock } from '../../base/time.ts';
import { makeOwnerCode, markOwner } from '../../messaging/owner/bot-owner.ts';
import type { Store } from '../../store/store.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { named } from '../schema/fields.ts';
import { platformNamed } from './platforms.ts';

const BotOwnerParams = z.object({
  platform: z.string().describe(`${BOT_PLATFORMS.slice(0, -1).join(', ')} or ${BOT_PLATFORMS.at(-1)}`),
});

const BotOwnerBody = named('BotOwnerChoice', {
  conversation_id: z.string().max(64).describe('Your own conversation with the bot'),
});

const BotOwner = named('BotOwner', {
  bot_id: z.string(),
  conversation_id: z.string(),
  remote_name: z.string().nullable(),
});

const OwnerCodeQuery = z.object({
  connection_id: z.string().default('').describe('Id of the bot. Default: the one registered last'),
});

const OwnerCode = named('OwnerCode', {
  bot_id: z.string(),
  code: z.string().describe('Send it to the bot as a direct message of its own'),
  expires_at: z.string(),
});

interface Domain {
  readonly store: Pick<Store, 'db'>;
  readonly clock: Clock;
}

const config = resource('config', 'Platforms');
const PATH = '/api/platforms/{platform}/owner';

/** Routes that mark one of a bot's contacts as its owner, the only recipient of test messages. */
export function botOwnerRoutes(domain: Domain): Route[] {
  return [
    config.post(PATH, {
      operationId: 'markBotOwner',
      summary: 'Mark your own conversation with a bot',
      description: 'Test messages are sent to the owner only. A bot has one owner: the latest one marked.',
      params: BotOwnerParams,
      body: BotOwnerBody,
      responses: { 200: { description: 'The owner', schema: BotOwner } },
      fails: ['owner_in_channel', 'owner_is_linked', 'conversation_not_found'],
      handler: async ({ principal, params, body }) => {
        const platform = platformNamed(params.platform);
        const owner = await markOwner(domain, principal, platform, body.conversation_id);
        return reply(200, {
          bot_id: owner.botId,
          conversation_id: owner.conversationId,
          remote_name: owner.remoteName,
        });
      },
    }),
    config.post(`${PATH}/code`, {
      operationId: 'makeBotOwnerCode',
      summary: 'Create a code whose sender becomes the owner of the bot',
      description:
        'Valid once, for 15 minutes, for one bot. A new code replaces the previous one. The message with the code does not appear in the inbox.',
      params: BotOwnerParams,
      query: OwnerCodeQuery,
      responses: { 200: { description: 'The code', schema: OwnerCode } },
      fails: ['connection_not_found', { platform_not_configured: 'The account has no bot on the platform' }],
      handler: async ({ principal, params, query }) => {
        const platform = platformNamed(params.platform);
        const made = await makeOwnerCode(domain, principal, platform, query.connection_id || null);
        return reply(200, { bot_id: made.botId, code: made.code, expires_at: made.expiresAt });
      },
    }),
  ];
}
