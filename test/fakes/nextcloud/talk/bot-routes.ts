import { timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { OcsError } from '../http/nc-answer.ts';
import { headerOf } from '../http/nc-request.ts';
import { type OcsCall, type OcsRoute, openRoute, roomRoute } from '../http/ocs-route.ts';
import { flag, whole } from '../http/parameters.ts';
import { MOST_CHARACTERS } from '../world/chat-log.ts';
import type { FakeMessage } from '../world/fake-message.ts';
import type { FakeRoom } from '../world/fake-room.ts';
import { type BotWebhooks, signatureOver } from './bot-webhooks.ts';
import { reactableIn } from './reaction-routes.ts';
import { actorOf, FEATURE, type InstalledBot, type TalkBots } from './talk-bots.ts';

const BASE = 'apps/spreed/api/v1/bot/:';
const Reaction = z.strictObject({ reaction: z.string() });

interface BotCall {
  readonly room: FakeRoom;
  readonly bot: InstalledBot;
}

/** https://nextcloud-talk.readthedocs.io/en/latest/bots/ (BotController) */
export function botRoutes(bots: TalkBots, webhooks: BotWebhooks): readonly OcsRoute[] {
  const signed = (call: OcsCall<unknown>, text: string) => signedBy(bots, call, text);
  return [
    openRoute({
      name: 'bot.send',
      method: 'POST',
      path: `${BASE}/message`,
      params: z.strictObject({
        message: z.string(),
        referenceId: z.string().optional(),
        replyTo: whole.optional(),
        silent: flag.optional(),
      }),
      handle: (call) => {
        const { message, referenceId = '', replyTo = 0, silent = false } = call.params;
        if (message.trim() === '') throw new OcsError(400, { data: null });
        const { room, bot } = signed(call, message);
        const parent = replyTo === 0 ? null : room.chat.byId(replyTo);
        if (parent === undefined) throw new OcsError(400, { data: null });
        if ([...message].length > MOST_CHARACTERS) throw new OcsError(413, { data: null });
        room.chat.write(actorOf(bot), { text: message, replyTo: parent, referenceId, isSilent: silent });
        return { status: 201, data: null };
      },
    }),
    openRoute({
      name: 'bot.react',
      method: 'POST',
      path: `${BASE}/reaction/:`,
      params: Reaction,
      handle: (call) => {
        const { room, bot } = signed(call, call.params.reaction);
        const message = target(room, call.parts[1] ?? '', 400);
        const isNew = room.chat.react(message, actorOf(bot), call.params.reaction);
        return { status: isNew ? 201 : 200, data: null };
      },
    }),
    openRoute({
      name: 'bot.unreact',
      method: 'DELETE',
      path: `${BASE}/reaction/:`,
      params: Reaction,
      handle: (call) => {
        const { room, bot } = signed(call, call.params.reaction);
        const message = target(room, call.parts[1] ?? '', 404);
        if (!room.chat.unreact(message, actorOf(bot), call.params.reaction))
          throw new OcsError(404, { data: null });
        return { status: 200, data: null };
      },
    }),
    roomRoute({
      name: 'bot.list',
      method: 'GET',
      path: BASE,
      needs: ['moderator'],
      handle: ({ room }) => ({ status: 200, data: bots.all.map((bot) => shown(bot, room)) }),
    }),
    roomRoute({
      name: 'bot.enable',
      method: 'POST',
      path: `${BASE}/:`,
      needs: ['moderator'],
      handle: ({ room, parts }) => {
        const bot = installed(bots, parts[1] ?? '');
        const isNew = !room.bots.has(bot.id);
        webhooks.enable(bot, room);
        return { status: isNew ? 201 : 200, data: shown(bot, room) };
      },
    }),
    roomRoute({
      name: 'bot.disable',
      method: 'DELETE',
      path: `${BASE}/:`,
      needs: ['moderator'],
      handle: ({ room, parts }) => {
        const bot = installed(bots, parts[1] ?? '');
        webhooks.disable(bot, room);
        return { status: 200, data: shown(bot, room) };
      },
    }),
  ];
}

/** Returns the bot that has signed the text. Throws OcsError 400 without a signature, 401 for a wrong one. */
function signedBy(bots: TalkBots, { world, request, parts }: OcsCall<unknown>, text: string): BotCall {
  const random = headerOf(request, 'x-nextcloud-talk-bot-random');
  const given = Buffer.from(headerOf(request, 'x-nextcloud-talk-bot-signature').toLowerCase());
  if (random.length < 32 || given.length === 0) throw new OcsError(400, { data: null, isMistake: true });
  const room = world.rooms.get(parts[0] ?? '');
  const bot = (room ? bots.in(room, FEATURE.response) : []).find(({ secret }) => {
    const expected = Buffer.from(signatureOver(random, text, secret));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!room || !bot) throw new OcsError(401, { data: null });
  return { room, bot };
}

function target(room: FakeRoom, id: string, unfit: 400 | 404): FakeMessage {
  const message = reactableIn(room, id);
  if (message === 'unknown') throw new OcsError(404, { data: null });
  if (message === 'no reactions') throw new OcsError(unfit, { data: null });
  return message;
}

function installed(bots: TalkBots, id: string): InstalledBot {
  const bot = bots.byId(Number(id));
  if (!bot) throw new OcsError(400, { data: { error: 'bot' } });
  return bot;
}

function shown({ id, name }: InstalledBot, room: FakeRoom) {
  return { id, name, description: '', state: room.bots.has(id) ? 1 : 0 };
}
