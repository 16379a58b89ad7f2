import * as z from 'zod';
import { OcsError } from '../http/nc-answer.ts';
import { type OcsRoute, type RoomCall, roomRoute } from '../http/ocs-route.ts';
import { flag, whole } from '../http/parameters.ts';
import { type Attendee, IN_CALL, PERMISSION, type TalkSession } from '../world/attendee.ts';

const PATH = 'apps/spreed/api/v4/call/:';
const NEEDS = ['calls', 'writable', 'no lobby'] as const;
const flags = whole.refine((value) => value >= 0 && value <= 15);

/** https://nextcloud-talk.readthedocs.io/en/latest/call/ (CallController) */
export const CALL_ROUTES: readonly OcsRoute[] = [
  roomRoute({
    name: 'call.peers',
    method: 'GET',
    path: PATH,
    needs: NEEDS,
    handle: ({ room }) => ({
      status: 200,
      data: room.call.sessions.map(({ id, lastPing, attendee: { user } }) => ({
        actorType: 'users',
        actorId: user.uid,
        displayName: user.displayName,
        token: room.token,
        lastPing,
        sessionId: id,
      })),
    }),
  }),
  roomRoute({
    name: 'call.join',
    method: 'POST',
    path: PATH,
    params: z.strictObject({
      flags: flags.nullable().optional(),
      silent: flag.optional(),
      recordingConsent: flag.optional(),
      silentFor: z.array(z.string()).optional(),
    }),
    needs: NEEDS,
    handle: (call) => {
      const { world, room, attendee, params } = call;
      const { recordingConsent } = world.policy;
      const needsConsent = recordingConsent === 1 || (recordingConsent === 2 && room.wantsConsent);
      if (needsConsent && !params.recordingConsent) throw new OcsError(400, { data: { error: 'consent' } });
      if (params.recordingConsent && recordingConsent !== 0) attendee.hasConsented = true;
      const session = sessionOf(call);
      room.call.join(
        session,
        allowed(attendee, params.flags ?? IN_CALL.inCall | IN_CALL.audio | IN_CALL.video),
      );
      return { status: 200, data: null };
    },
  }),
  roomRoute({
    name: 'call.flags',
    method: 'PUT',
    path: PATH,
    params: z.strictObject({ flags }),
    handle: (call) => {
      const session = sessionOf(call);
      if (session.inCall === IN_CALL.none || !(call.params.flags & IN_CALL.inCall))
        throw new OcsError(400, { data: null });
      call.room.call.change(session, allowed(call.attendee, call.params.flags));
      return { status: 200, data: null };
    },
  }),
  roomRoute({
    name: 'call.leave',
    method: 'DELETE',
    path: PATH,
    params: z.strictObject({ all: flag.optional() }),
    handle: (call) => {
      const session = sessionOf(call);
      if (call.params.all && call.attendee.isModerator) call.room.call.end(session);
      else call.room.call.leave([session]);
      return { status: 200, data: null };
    },
  }),
];

function sessionOf({ talkSession }: RoomCall<unknown>): TalkSession {
  if (!talkSession) throw new OcsError(404, { data: null });
  return talkSession;
}

/** Whoever may not publish sound or pictures has none, whatever they say. */
function allowed(attendee: Attendee, given: number): number {
  const withoutAudio = attendee.may(PERMISSION.publishAudio) ? given : given & ~IN_CALL.audio;
  return attendee.may(PERMISSION.publishVideo) ? withoutAudio : withoutAudio & ~IN_CALL.video;
}
