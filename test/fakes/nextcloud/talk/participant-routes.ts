import * as z from 'zod';
import { OcsError } from '../http/nc-answer.ts';
import { type OcsRoute, roomRoute, userRoute } from '../http/ocs-route.ts';
import { flag, whole } from '../http/parameters.ts';
import { PARTICIPANT } from '../world/attendee.ts';
import { wireRoom } from '../world/wire-room.ts';

const BASE = 'apps/spreed/api/v4/room';

/** https://nextcloud-talk.readthedocs.io/en/latest/participant/ (RoomController) */
export const PARTICIPANT_ROUTES: readonly OcsRoute[] = [
  roomRoute({
    name: 'participant.list',
    method: 'GET',
    path: `${BASE}/:/participants`,
    params: z.strictObject({ includeStatus: flag.optional() }),
    needs: ['no lobby'],
    handle: ({ room }) => ({
      status: 200,
      data: [...room.attendees.values()].map(
        ({ id, user, type, permissions, effectivePermissions, sessions }) => ({
          roomToken: room.token,
          inCall: sessions.reduce((flags, { inCall }) => flags | inCall, 0),
          lastPing: Math.max(0, ...sessions.map(({ lastPing }) => lastPing)),
          sessionIds: sessions.map((session) => session.id),
          participantType: type,
          attendeeId: id,
          actorId: user.uid,
          actorType: 'users',
          displayName: user.displayName,
          permissions: effectivePermissions,
          attendeePermissions: permissions,
          attendeePin: '',
          phoneNumber: '',
          callId: '',
        }),
      ),
    }),
  }),
  roomRoute({
    name: 'participant.add',
    method: 'POST',
    path: `${BASE}/:/participants`,
    params: z.strictObject({ newParticipant: z.string(), source: z.literal('users').optional() }),
    handle: ({ world, room, attendee, params: { newParticipant } }) => {
      if (!attendee.isModerator) throw new OcsError(403);
      if (room.kind === 'one-to-one') throw new OcsError(400, { data: { error: 'room-type' } });
      const user = world.users.get(newParticipant);
      if (!user) throw new OcsError(404, { data: { error: 'new-participant' } });
      room.add(user, attendee.actor);
      return { status: 200, data: [] };
    },
  }),
  roomRoute({
    name: 'participant.remove',
    method: 'DELETE',
    path: `${BASE}/:/attendees`,
    params: z.strictObject({ attendeeId: whole }),
    needs: ['moderator'],
    handle: ({ room, attendee, params: { attendeeId } }) => {
      const target = [...room.attendees.values()].find(({ id }) => id === attendeeId);
      if (!target) throw new OcsError(404, { data: { error: 'participant' } });
      if (room.kind === 'one-to-one') throw new OcsError(400, { data: { error: 'room-type' } });
      if (target.type === PARTICIPANT.owner) throw new OcsError(403, { data: { error: 'owner' } });
      room.remove(target.user, attendee.actor);
      return { status: 200, data: null };
    },
  }),
  roomRoute({
    name: 'participant.leave-for-good',
    method: 'DELETE',
    path: `${BASE}/:/participants/self`,
    handle: ({ room, attendee }) => {
      const others = [...room.attendees.values()].filter((each) => each !== attendee);
      const isLastModerator = attendee.isModerator && !others.some(({ isModerator }) => isModerator);
      if (room.kind !== 'one-to-one' && isLastModerator && others.length > 0)
        throw new OcsError(400, { data: { error: 'last-moderator' } });
      room.remove(attendee.user);
      return { status: 200, data: null };
    },
  }),
  roomRoute({
    name: 'participant.join',
    method: 'POST',
    path: `${BASE}/:/participants/active`,
    params: z.strictObject({ password: z.string().optional(), force: flag.optional() }),
    handle: ({ world, origin, session, room, attendee, talkSession, params: { force = true } }) => {
      if (talkSession && talkSession.inCall > 0 && !force) {
        const { id: sessionId, inCall, lastPing } = talkSession;
        throw new OcsError(409, { data: { sessionId, inCall, lastPing } });
      }
      if (talkSession) room.replaceSession(talkSession);
      const joined = attendee.join(world.now());
      session.joined.set(room.token, joined);
      return { status: 200, data: wireRoom({ world, origin }, room, attendee, joined) };
    },
  }),
  userRoute({
    name: 'participant.leave',
    method: 'DELETE',
    path: `${BASE}/:/participants/active`,
    handle: ({ world, session, parts: [token = ''] }) => {
      const room = world.rooms.get(token);
      const joined = session.joined.get(token);
      session.joined.delete(token);
      if (room && joined) room.endSessions([joined]);
      return { status: 200, data: null };
    },
  }),
  roomRoute({
    name: 'participant.permissions',
    method: 'PUT',
    path: `${BASE}/:/attendees/permissions`,
    params: z.strictObject({
      attendeeId: whole,
      permissions: whole,
      method: z.enum(['set', 'add', 'remove']).optional(),
    }),
    needs: ['moderator'],
    handle: ({ room, params: { attendeeId, permissions } }) => {
      const target = [...room.attendees.values()].find(({ id }) => id === attendeeId);
      if (!target) throw new OcsError(404, { data: { error: 'participant' } });
      if (target.isModerator) throw new OcsError(400, { data: { error: 'moderator' } });
      room.permit(target.user, permissions);
      return { status: 200, data: null };
    },
  }),
];
