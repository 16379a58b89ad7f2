import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { parseForm } from '../../multipart-form.ts';
import { jsonAnswer, type NcAnswer, PlainError } from '../http/nc-answer.ts';
import { headerOf, type NcRequest } from '../http/nc-request.ts';
import type { NcScene } from '../http/ocs-route.ts';
import { parametersOf } from '../http/parameters.ts';
import type { HpbSettings } from '../signaling/hpb-settings.ts';
import { MOST_CHARACTERS } from '../world/chat-log.ts';
import type { AddonBot, FakeAddon } from './fake-addon.ts';
import { checkSignature } from './gateway-signature.ts';

interface AddonCall<Params = unknown> extends NcScene {
  readonly addon: FakeAddon;
  readonly request: NcRequest;
  readonly parts: readonly string[];
  readonly params: Params;
  readonly hpb: HpbSettings;
}

export interface AddonRoute {
  /** By which tests call it. */
  readonly name: string;
  readonly method: string;
  /** Below the app; `:` stands for something. */
  readonly path: string;
  /** The oldest version that has it. */
  readonly since?: '3.0';
  readonly params: z.ZodType;
  handle(call: AddonCall<never>): NcAnswer | Promise<NcAnswer>;
}

function signedRoute<Params>(
  declared: Omit<AddonRoute, 'params' | 'handle'> & {
    readonly params?: z.ZodType<Params>;
    handle(call: AddonCall<Params>): NcAnswer | Promise<NcAnswer>;
  },
): AddonRoute {
  return { params: z.strictObject({}), ...declared } as AddonRoute;
}

const OK = jsonAnswer(200, { status: 'ok' });

/** What the gateway asks of the addon. */
export const ADDON_ROUTES: readonly AddonRoute[] = [
  signedRoute({
    name: 'addon.config',
    method: 'GET',
    path: 'api/v1/config',
    handle: ({ hpb }) => jsonAnswer(200, { ...addressesOf(hpb) }),
  }),
  signedRoute({
    name: 'addon.rooms',
    method: 'GET',
    path: 'api/v1/authorized-rooms',
    // PHP writes an empty map as a list.
    handle: ({ addon: { authorizedRooms } }) =>
      jsonAnswer(200, {
        authorized_rooms: authorizedRooms.size === 0 ? [] : Object.fromEntries(authorizedRooms),
      }),
  }),
  signedRoute({
    name: 'addon.set-rooms',
    method: 'PUT',
    path: 'api/v1/authorized-rooms',
    params: z.strictObject({ authorized_rooms: z.unknown() }),
    handle: ({ addon: { authorizedRooms }, params }) => {
      const { success, data } = z
        .union([z.record(z.string(), z.string()), z.array(z.never())])
        .safeParse(params.authorized_rooms);
      if (!success) return failed(400, 'authorized_rooms must be an object');
      authorizedRooms.clear();
      for (const [token, owner] of Object.entries(data)) authorizedRooms.set(token, owner as string);
      return jsonAnswer(200, { status: 'ok', count: authorizedRooms.size });
    },
  }),
  signedRoute({
    name: 'addon.signaling',
    method: 'GET',
    path: 'api/v1/signaling/:',
    params: z.strictObject({ username: z.string().optional() }),
    handle: ({ addon, world, hpb, params: { username = '' } }) => {
      if (username === '') return failed(400, 'username parameter required');
      // Signed with a key of the addon's own, so that Talk takes it for wrong.
      const signed = `${username}:${world.now()}`;
      const hash = createHmac('sha256', addon.apiSecret).update(signed).digest('hex');
      return jsonAnswer(200, {
        ticket: `${signed}:${hash}`,
        userid: username,
        bot_secret: addon.talkBot?.secret ?? '',
        ...addressesOf(hpb),
      });
    },
  }),
  signedRoute({
    name: 'addon.join',
    method: 'POST',
    path: 'api/v1/rooms/:/join',
    params: z.strictObject({ username: z.string().optional() }),
    handle: ({ addon, world, parts: [token = ''], params: { username = '' } }) => {
      if (username === '') return failed(400, 'username parameter required');
      const bot = addon.bots.get(username);
      if (!bot) return failed(404, `User '${username}' not found`);
      // By Talk's API with the bot's login: whoever is no moderator there cannot, and that is not told.
      const room = world.rooms.get(token);
      const own = room?.attendees.get(username);
      if (own?.isModerator) room?.add(bot.user, own.actor);
      return jsonAnswer(200, { status: 'ok', sessionId: '' });
    },
  }),
  signedRoute({
    name: 'addon.delete-bot',
    method: 'DELETE',
    path: 'api/v1/bot-users/:',
    handle: (call) => {
      call.addon.deleteBot(botOf(call));
      return OK;
    },
  }),
  signedRoute({
    name: 'addon.post',
    method: 'POST',
    path: 'api/v1/bot-users/:/post',
    params: z.strictObject({ room_token: z.string().optional(), message: z.string().optional() }),
    handle: (call) => {
      const { room_token: token = '', message = '' } = call.params;
      if (token === '' || message === '') return failed(400, 'room_token and message required');
      return wrote(call, botOf(call), token, message) ? OK : failed(500, 'Failed to post message');
    },
  }),
  signedRoute({
    name: 'addon.avatar',
    method: 'POST',
    path: 'api/v1/bot-users/:/avatar',
    params: z.unknown(),
    handle: (call) => {
      const { user } = botOf(call);
      const image = avatarIn(call.request);
      if (!image) return failed(400, 'No avatar file uploaded');
      if (!isImage(image)) return failed(500, 'Failed to upload avatar');
      user.avatar = image;
      return OK;
    },
  }),
  signedRoute({
    name: 'addon.send',
    method: 'POST',
    path: 'api/v1/messages/:',
    since: '3.0',
    params: z.strictObject({
      bot_username: z.string(),
      content: z.string().optional(),
      encrypted: z.unknown().optional(),
    }),
    handle: (call) => {
      const { bot_username: login, content, encrypted } = call.params;
      if ((content === undefined) === (encrypted === undefined))
        return failed(400, 'Exactly one of content and encrypted is required');
      if (content === undefined) return failed(400, 'End-to-end encryption is not enabled');
      const bot = call.addon.bots.get(login);
      if (!bot) return failed(404, 'User not found');
      return wrote(call, bot, call.parts[0] ?? '', content) ? OK : failed(500, 'Failed to post message');
    },
  }),
  signedRoute({
    name: 'addon.authorize',
    method: 'POST',
    path: 'api/v1/authorize',
    params: z.strictObject({
      callback_url: z.string().optional(),
      state: z.string().optional(),
      agent_name: z.string().optional(),
      nc_username: z.string().optional(),
    }),
    handle: async ({ addon, params }) => {
      const callbackUrl = params.callback_url || addon.callbackUrl;
      const state = params.state ?? '';
      if (callbackUrl === '' || state === '') return failed(400, 'callback_url and state required');
      const bot = await addon.approve({ callbackUrl, state, owner: params.nc_username ?? '' });
      return bot
        ? jsonAnswer(200, { status: 'ok', bot_login: bot.user.uid })
        : failed(502, 'Callback to external service failed');
    },
  }),
];

export async function runAddonRoute(route: AddonRoute, call: Omit<AddonCall, 'params'>): Promise<NcAnswer> {
  checkSignature(call.addon, call.request, call);
  const isForm = headerOf(call.request, 'content-type').startsWith('multipart/form-data');
  const params = isForm ? {} : parametersOf(call.request, route.params);
  return await route.handle({ ...call, params } as AddonCall<never>);
}

function botOf({ addon, parts: [login = ''] }: AddonCall): AddonBot {
  const bot = addon.bots.get(login);
  if (!bot) throw new PlainError(failed(404, 'User not found'));
  return bot;
}

/** Writes as a bot by Talk's API. Returns whether that was allowed. */
function wrote({ world }: NcScene, { user }: AddonBot, token: string, text: string): boolean {
  const room = world.rooms.get(token);
  const attendee = room?.attendees.get(user.uid);
  if (!room || !attendee || text.trim() === '' || [...text].length > MOST_CHARACTERS) return false;
  room.chat.write(attendee.actor, { text });
  return true;
}

function avatarIn(request: NcRequest): Buffer | null {
  try {
    return parseForm(request.body, headerOf(request, 'content-type')).files.get('avatar')?.bytes ?? null;
  } catch {
    return null;
  }
}

/** PNG, JPEG, GIF or WebP, by their first bytes. */
function isImage(bytes: Buffer): boolean {
  return /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP)/s.test(bytes.subarray(0, 12).toString('latin1'));
}

function failed(status: number, error: string): NcAnswer {
  return jsonAnswer(status, { error });
}

/** As Talk's settings have them, secrets of TURN included. */
function addressesOf({ url, stunServers, turnServers }: HpbSettings) {
  return { hpb_url: url, stun_servers: stunServers, turn_servers: turnServers };
}
