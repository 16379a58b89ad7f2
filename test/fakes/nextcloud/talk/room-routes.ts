import * as z from 'zod';
import { OcsError } from '../http/nc-answer.ts';
import { type OcsRoute, roomRoute, userRoute } from '../http/ocs-route.ts';
import { flag, whole } from '../http/parameters.ts';
import { ROOM_TYPE, type RoomKind } from '../world/fake-room.ts';
import { wireRoom } from '../world/wire-room.ts';

const BASE = 'apps/spreed/api/v4/room';

const Created = z.strictObject({
  roomType: whole,
  invite: z.string().optional(),
  roomName: z.string().optional(),
  source: z.enum(['', 'users']).optional(),
  objectType: z.literal('').optional(),
  objectId: z.literal('').optional(),
  participants: z.strictObject({ users: z.array(z.string()) }).optional(),
});

/** https://nextcloud-talk.readthedocs.io/en/latest/conversation/ (RoomController) */
export const ROOM_ROUTES: readonly OcsRoute[] = [
  userRoute({
    name: 'room.list',
    method: 'GET',
    path: BASE,
    params: z.strictObject({
      noStatusUpdate: whole.optional(),
      includeStatus: flag.optional(),
      includeLastMessage: flag.optional(),
      modifiedSince: whole.optional(),
    }),
    handle: ({ world, origin, user, session, params: { modifiedSince = 0 } }) => ({
      status: 200,
      data: world
        .roomsOf(user)
        .filter(({ chat, call }) => call.flags > 0 || chat.lastActivity >= modifiedSince)
        .map((room) =>
          wireRoom({ world, origin }, room, room.attendee(user), session.joined.get(room.token) ?? null),
        ),
      headers: { 'X-Nextcloud-Talk-Modified-Before': `${world.now()}` },
    }),
  }),
  userRoute({
    name: 'room.create',
    method: 'POST',
    path: BASE,
    params: Created,
    handle: ({ world, origin, user, params: { roomType, invite = '', roomName = '', participants } }) => {
      const kind = (Object.keys(ROOM_TYPE) as RoomKind[]).find((each) => ROOM_TYPE[each] === roomType);
      if (kind === undefined) throw new OcsError(400, { data: { error: 'type' } });
      if (kind === 'one-to-one') {
        const other = world.users.get(invite || (participants?.users[0] ?? ''));
        if (!other || other === user) throw new OcsError(other ? 403 : 404, { data: { error: 'invite' } });
        const { room, isNew } = world.direct(user, other);
        const data = wireRoom({ world, origin }, room, room.attendee(user), null);
        return { status: isNew ? 201 : 200, data };
      }
      if (roomName.trim() === '') throw new OcsError(400, { data: { error: 'name' } });
      const invited = [...(invite ? [invite] : []), ...(participants?.users ?? [])].map((uid) =>
        world.users.get(uid),
      );
      if (invited.includes(undefined)) throw new OcsError(404, { data: { error: 'invite' } });
      const room = world.addRoom({ kind, name: roomName, members: [user, ...invited.map((each) => each!)] });
      return { status: 201, data: wireRoom({ world, origin }, room, room.attendee(user), null) };
    },
  }),
  roomRoute({
    name: 'room.get',
    method: 'GET',
    path: `${BASE}/:`,
    params: z.strictObject({ includeStatus: flag.optional() }),
    handle: ({ world, origin, room, attendee, talkSession }) => ({
      status: 200,
      data: wireRoom({ world, origin }, room, attendee, talkSession),
    }),
  }),
  roomRoute({
    name: 'room.rename',
    method: 'PUT',
    path: `${BASE}/:`,
    params: z.strictObject({ roomName: z.string() }),
    needs: ['moderator'],
    handle: ({ room, params: { roomName } }) => {
      if (room.kind === 'one-to-one' || roomName.trim() === '')
        throw new OcsError(400, { data: { error: 'value' } });
      room.rename(roomName.trim());
      return { status: 200, data: null };
    },
  }),
  roomRoute({
    name: 'room.delete',
    method: 'DELETE',
    path: `${BASE}/:`,
    needs: ['moderator'],
    handle: ({ world, room }) => {
      if (room.kind === 'one-to-one') throw new OcsError(400, { data: null });
      world.deleteRoom(room);
      return { status: 200, data: null };
    },
  }),
  roomRoute({
    name: 'room.lobby',
    method: 'PUT',
    path: `${BASE}/:/webinar/lobby`,
    params: z.strictObject({ state: whole, timer: whole.nullable().optional() }),
    needs: ['moderator'],
    handle: ({ world, origin, room, attendee, talkSession, params: { state } }) => {
      if (room.kind === 'one-to-one') throw new OcsError(400, { data: { error: 'type' } });
      if (state !== 0 && state !== 1) throw new OcsError(400, { data: { error: 'value' } });
      room.changeLobby(state === 1);
      return { status: 200, data: wireRoom({ world, origin }, room, attendee, talkSession) };
    },
  }),
  roomRoute({
    name: 'room.expiration',
    method: 'POST',
    path: `${BASE}/:/message-expiration`,
    params: z.strictObject({ seconds: whole }),
    needs: ['moderator'],
    handle: ({ room, params: { seconds } }) => {
      if (seconds < 0) throw new OcsError(400, { data: { error: 'value' } });
      room.chat.expiration = seconds;
      return { status: 200, data: null };
    },
  }),
];
