import type { APIApplication } from 'discord-api-types/v10';
import * as z from 'zod';
import type { FakeBot } from '../fake-bot.ts';
import { wireUser } from '../world/user.ts';
import { wireChannel } from '../world/wire-channel.ts';
import { REFUSALS } from './discord-error.ts';
import { Id } from './message-schema.ts';
import { type Route, route } from './route.ts';

/** Bots, their applications, and the people whom they write to. */
export const APPLICATION_ROUTES: readonly Route[] = [
  route({
    name: 'getCurrentUser',
    method: 'GET',
    path: '/users/@me',
    handle: ({ bot }) => ({
      ...wireUser(bot.user),
      verified: true,
      mfa_enabled: false,
      email: null,
      flags: 0,
    }),
  }),
  route({
    name: 'getUser',
    method: 'GET',
    path: '/users/:',
    handle: ({ world, ids: [id = ''] }) => {
      const user = world.users.get(id);
      if (!user) throw REFUSALS.unknownUser();
      return wireUser(user);
    },
  }),
  route({
    name: 'getCurrentApplication',
    method: 'GET',
    path: '/applications/@me',
    handle: ({ bot }) => wireApplication(bot),
  }),
  route({
    name: 'getCurrentBotApplication',
    method: 'GET',
    path: '/oauth2/applications/@me',
    handle: ({ bot }) => wireApplication(bot),
  }),
  route({
    name: 'getGatewayBot',
    method: 'GET',
    path: '/gateway/bot',
    handle: ({ bot, gateway, world }) => ({
      url: gateway.url,
      shards: 1,
      session_start_limit: bot.sessionStartLimit(world.nowMs()),
    }),
  }),
  route({
    name: 'createDm',
    method: 'POST',
    path: '/users/@me/channels',
    body: z.strictObject({ recipient_id: Id }),
    handle: ({ world, bot, body }) => {
      const person = world.users.get(body.recipient_id);
      if (!person) throw REFUSALS.unknownUser();
      if (person.isBot) throw REFUSALS.unreachableUser();
      return wireChannel(world.dmOf(bot.user, person), bot.user);
    },
  }),
];

function wireApplication(bot: FakeBot): APIApplication {
  return {
    id: bot.applicationId,
    name: bot.user.username,
    icon: null,
    description: '',
    summary: '',
    bot_public: bot.isPublic,
    bot_require_code_grant: false,
    bot: wireUser(bot.user),
    owner: wireUser(bot.owner),
    team: null,
    verify_key: Buffer.from(bot.applicationId).toString('hex').padEnd(64, '0'),
    flags: bot.applicationFlags,
    flags_new: String(bot.applicationFlags),
    redirect_uris: [...bot.redirectUris],
  };
}
