import * as z from 'zod';
import { OcsError } from '../http/nc-answer.ts';
import { type OcsResult, type OcsRoute, type RoomCall, roomRoute } from '../http/ocs-route.ts';
import { flag, whole } from '../http/parameters.ts';
import { MOST_CHARACTERS } from '../world/chat-log.ts';
import { type FakeMessage, isSameActor } from '../world/fake-message.ts';
import { wireMessage } from '../world/wire-message.ts';
import { newMessage } from './long-poll.ts';

const BASE = 'apps/spreed/api/v1/chat/:';
const WRITING = ['writable', 'no lobby', 'chat'] as const;
const MOST_MESSAGES = 200;
const MOST_WAIT_S = 30;
const EDITABLE_S = 24 * 60 * 60;

const Received = z.strictObject({
  lookIntoFuture: z.union([z.literal([0, 1]), z.enum(['0', '1'])]).transform(Number),
  limit: whole.optional(),
  lastKnownMessageId: whole.optional(),
  lastCommonReadId: whole.optional(),
  timeout: whole.optional(),
  setReadMarker: whole.optional(),
  includeLastKnown: whole.optional(),
  noStatusUpdate: whole.optional(),
  markNotificationsAsRead: whole.optional(),
  threadId: whole.optional(),
});

/** https://nextcloud-talk.readthedocs.io/en/latest/chat/ (ChatController) */
export const CHAT_ROUTES: readonly OcsRoute[] = [
  roomRoute({
    name: 'chat.receive',
    method: 'GET',
    path: BASE,
    params: Received,
    needs: ['no lobby'],
    handle: receive,
  }),
  roomRoute({
    name: 'chat.send',
    method: 'POST',
    path: BASE,
    params: z.strictObject({
      message: z.string(),
      actorDisplayName: z.string().optional(),
      referenceId: z.string().optional(),
      replyTo: whole.optional(),
      threadId: whole.optional(),
      silent: flag.optional(),
    }),
    needs: WRITING,
    handle: (call) => {
      const { room, attendee, params } = call;
      checkText(params.message);
      const replyTo = params.replyTo ? room.chat.byId(params.replyTo) : null;
      const isReplyable =
        replyTo === null || replyTo?.verb === 'comment' || replyTo?.verb === 'object_shared';
      if (!isReplyable) throw new OcsError(400, { data: { error: 'reply-to' } });
      const message = room.chat.write(attendee.actor, {
        text: params.message,
        replyTo,
        referenceId: params.referenceId ?? '',
        thread: params.threadId && room.chat.byId(params.threadId) ? params.threadId : null,
        isSilent: params.silent ?? false,
      });
      return { status: 201, data: wireMessage(viewOf(call), message) };
    },
  }),
  roomRoute({
    name: 'chat.edit',
    method: 'PUT',
    path: `${BASE}/:`,
    params: z.strictObject({ message: z.string() }),
    needs: WRITING,
    handle: (call) => {
      const { world, room, attendee, params } = call;
      const message = changeable(call);
      if (message.timestamp < world.now() - EDITABLE_S) throw new OcsError(400, { data: { error: 'age' } });
      checkText(params.message);
      return {
        status: 200,
        data: wireMessage(viewOf(call), room.chat.edit(message, attendee.actor, params.message)),
      };
    },
  }),
  roomRoute({
    name: 'chat.delete',
    method: 'DELETE',
    path: `${BASE}/:`,
    needs: WRITING,
    handle: (call) => {
      const { room, attendee } = call;
      const message = changeable(call);
      return { status: 200, data: wireMessage(viewOf(call), room.deleteMessage(message, attendee.actor)) };
    },
  }),
];

async function receive(call: RoomCall<z.output<typeof Received>>): Promise<OcsResult> {
  const { room, request, params } = call;
  const { lookIntoFuture, lastKnownMessageId = 0, limit = 100, timeout = 30, includeLastKnown = 0 } = params;
  const most = Math.min(limit, MOST_MESSAGES);
  const isDue = ({ id }: FakeMessage) =>
    id > lastKnownMessageId || (id === lastKnownMessageId && includeLastKnown === 1);
  if (lookIntoFuture === 0) {
    const isPast = ({ id }: FakeMessage) =>
      lastKnownMessageId === 0 ||
      id < lastKnownMessageId ||
      (id === lastKnownMessageId && includeLastKnown === 1);
    return listed(call, room.messages.filter(isPast).slice(-most).toReversed());
  }
  if (!room.messages.some(isDue) && timeout > 0)
    await newMessage(room, { seconds: Math.min(timeout, MOST_WAIT_S), gone: request.gone });
  return listed(call, room.messages.filter(isDue).slice(0, most));
}

/** What has expired is left out, but counts for the position. */
function listed(call: RoomCall<unknown>, messages: readonly FakeMessage[]): OcsResult {
  const last = messages.at(-1);
  if (!last) return { status: 304, data: null };
  const now = call.world.now();
  return {
    status: 200,
    data: messages
      .filter(({ expiresAt }) => expiresAt === 0 || expiresAt >= now)
      .map((message) => wireMessage(viewOf(call), message)),
    headers: { 'X-Chat-Last-Given': `${last.id}` },
  };
}

/** Returns the message of the request, if the user may change it. */
function changeable({ room, attendee, parts: [, id = ''] }: RoomCall<unknown>): FakeMessage {
  const message = room.chat.byId(Number(id));
  if (!message) throw new OcsError(404, { data: { error: 'message' } });
  const mayChange =
    isSameActor(message.actor, attendee.actor) || (attendee.isModerator && room.kind !== 'one-to-one');
  if (!mayChange) throw new OcsError(403, { data: { error: 'permission' } });
  if (message.verb !== 'comment' && message.verb !== 'object_shared')
    throw new OcsError(405, { data: { error: 'message' } });
  return message;
}

function checkText(text: string): void {
  if (text.trim() === '') throw new OcsError(400, { data: { error: 'message' } });
  if ([...text.trim()].length > MOST_CHARACTERS) throw new OcsError(413, { data: { error: 'message' } });
}

function viewOf({ world, origin, room, user }: RoomCall<unknown>) {
  return { world, origin, room, viewer: user };
}
