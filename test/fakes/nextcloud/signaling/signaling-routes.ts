import { timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { OcsError } from '../http/nc-answer.ts';
import { headerOf, type NcRequest } from '../http/nc-request.ts';
import { type NcScene, type OcsRoute, openRoute, roomRoute, userRoute } from '../http/ocs-route.ts';
import type { HelloTokens } from './hello-tokens.ts';
import type { HpbSettings } from './hpb-settings.ts';
import { participantOf, permissionsOf, propertiesOf } from './room-for-signaling.ts';

const BASE = 'apps/spreed/api/v3/signaling';

const BackendRequest = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('auth'),
    auth: z.object({ params: z.object({ userid: z.string(), ticket: z.string() }) }),
  }),
  z.object({
    type: z.literal('room'),
    room: z.object({
      roomid: z.string(),
      userid: z.string().optional(),
      sessionid: z.string().optional(),
      action: z.enum(['', 'join', 'leave']).optional(),
    }),
  }),
  z.object({
    type: z.literal('ping'),
    ping: z.object({ roomid: z.string(), entries: z.array(z.object({ sessionid: z.string() })).nullable() }),
  }),
]);

interface Refused {
  readonly code: string;
  readonly message: string;
}

/** https://nextcloud-spreed-signaling.readthedocs.io/en/latest/standalone-signaling-api-v1/ (SignalingController) */
export function signalingRoutes(settings: HpbSettings, tokens: HelloTokens): readonly OcsRoute[] {
  return [
    userRoute({
      name: 'signaling.settings',
      method: 'GET',
      path: `${BASE}/settings`,
      params: z.strictObject({ token: z.string().optional() }),
      handle: async ({ world, origin, user, params: { token = '' } }) => {
        if (token !== '' && !world.rooms.get(token)?.attendees.has(user.uid))
          throw new OcsError(404, { data: null });
        const ticket = tokens.ticket(user);
        const { stun, turn } = settings.iceServers(world.now());
        return {
          status: 200,
          data: {
            signalingMode: settings.url === '' ? 'internal' : 'external',
            userId: user.uid,
            hideWarning: true,
            server: settings.url,
            ticket,
            helloAuthParams: {
              '1.0': { userid: user.uid, ticket },
              '2.0': { token: await tokens.token(user, `${origin}/`) },
            },
            federation: null,
            stunservers: stun,
            turnservers: turn,
            sipDialinInfo: '',
          },
        };
      },
    }),
    roomRoute({
      name: 'signaling.pull',
      method: 'GET',
      path: `${BASE}/:`,
      handle: ({ room, talkSession, world }) => {
        if (settings.url !== '') throw new OcsError(400, { data: 'Internal signaling disabled.' });
        if (!talkSession) throw new OcsError(404, { data: [{ type: 'usersInRoom', data: [] }] });
        talkSession.lastPing = world.now();
        // Talk waits for news first, for half a minute at most.
        return { status: 200, data: [{ type: 'usersInRoom', data: room.sessions.map(participantOf) }] };
      },
    }),
    openRoute({
      name: 'signaling.backend',
      method: 'POST',
      path: `${BASE}/backend`,
      params: z.unknown(),
      handle: (call) => ({ status: 200, data: answered(call, { settings, tokens }) }),
    }),
  ];
}

/** Refusals have the status 200 as well. */
function answered(
  { request, params, ...scene }: NcScene & { readonly request: NcRequest; readonly params: unknown },
  { settings, tokens }: { readonly settings: HpbSettings; readonly tokens: HelloTokens },
): object {
  if (!isSigned(request, settings)) {
    scene.mistake('the signaling server has another secret');
    return failed({ code: 'invalid_request', message: 'The request could not be authenticated.' });
  }
  const { data, success } = BackendRequest.safeParse(params);
  if (!success) return failed({ code: 'unknown_type', message: 'The given type is not supported.' });
  if (data.type === 'auth') return authenticated(scene, tokens, data.auth.params);
  if (data.type === 'room') return entered(scene, data.room);
  for (const { sessionid } of data.ping.entries ?? []) pinged(scene, data.ping.roomid, sessionid);
  return { type: 'room', room: { version: '1.0' } };
}

function isSigned(request: NcRequest, settings: HpbSettings): boolean {
  const random = headerOf(request, 'spreed-signaling-random');
  const given = Buffer.from(headerOf(request, 'spreed-signaling-checksum').toLowerCase());
  const expected = Buffer.from(settings.checksum(random, request.body.toString('utf8')));
  return random.length >= 32 && given.length === expected.length && timingSafeEqual(given, expected);
}

function authenticated(
  { world }: NcScene,
  tokens: HelloTokens,
  { userid, ticket }: { readonly userid: string; readonly ticket: string },
): object {
  if (!tokens.isTicket(ticket, userid))
    return failed({ code: 'invalid_ticket', message: 'The given ticket is not valid for this user.' });
  const user = world.users.get(userid);
  if (!user) return failed({ code: 'no_such_user', message: 'The given user does not exist.' });
  return { type: 'auth', auth: { version: '1.0', userid, user: { displayname: user.displayName } } };
}

function entered(
  { world }: NcScene,
  asked: {
    readonly roomid: string;
    readonly userid?: string | undefined;
    readonly sessionid?: string | undefined;
    readonly action?: string | undefined;
  },
): object {
  const { roomid, userid = '', sessionid = '', action = 'join' } = asked;
  const room = world.rooms.get(roomid);
  const session = room?.sessions.find(({ id }) => id === sessionid);
  // A session that is named must be known.
  const attendee = sessionid === '' ? room?.attendees.get(userid) : session?.attendee;
  if (!room || !attendee)
    return failed({ code: 'no_such_room', message: 'The user is not invited to this room.' });
  if (session && action === 'leave') room.endSessions([session]);
  else if (session) session.lastPing = world.now();
  return {
    type: 'room',
    room: {
      version: '1.0',
      roomid,
      properties: propertiesOf(room, userid),
      permissions: permissionsOf(attendee),
    },
  };
}

function pinged({ world }: NcScene, token: string, sessionId: string): void {
  const session = world.rooms.get(token)?.sessions.find(({ id }) => id === sessionId);
  if (session) session.lastPing = world.now();
}

function failed({ code, message }: Refused): object {
  return { type: 'error', error: { code, message } };
}
