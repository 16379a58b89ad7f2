import * as z from 'zod';
import { OcsError } from '../http/nc-answer.ts';
import { type OcsRoute, type RoomCall, roomRoute } from '../http/ocs-route.ts';
import type { FakeMessage } from '../world/fake-message.ts';
import type { FakeRoom } from '../world/fake-room.ts';

const PATH = 'apps/spreed/api/v1/reaction/:/:';
const WRITING = ['writable', 'no lobby', 'chat'] as const;
const Reaction = z.strictObject({ reaction: z.string() });
/** One emoji, with all that belongs to it. */
const EMOJI = /^\p{RGI_Emoji}$/v;

/** https://nextcloud-talk.readthedocs.io/en/latest/reaction/ (ReactionController) */
export const REACTION_ROUTES: readonly OcsRoute[] = [
  roomRoute({
    name: 'reaction.add',
    method: 'POST',
    path: PATH,
    params: Reaction,
    needs: WRITING,
    handle: (call) => {
      const { room, attendee, params } = call;
      const message = target(call);
      if (!EMOJI.test(params.reaction)) throw new OcsError(400, { data: null });
      const isNew = room.chat.react(message, attendee.actor, params.reaction);
      return { status: isNew ? 201 : 200, data: reactionsOf(room, message) };
    },
  }),
  roomRoute({
    name: 'reaction.remove',
    method: 'DELETE',
    path: PATH,
    params: Reaction,
    needs: WRITING,
    handle: (call) => {
      const { room, attendee, params } = call;
      const message = target(call);
      if (!room.chat.unreact(message, attendee.actor, params.reaction))
        throw new OcsError(404, { data: null });
      return { status: 200, data: reactionsOf(room, message) };
    },
  }),
  roomRoute({
    name: 'reaction.list',
    method: 'GET',
    path: PATH,
    params: z.strictObject({ reaction: z.string().optional() }),
    needs: ['no lobby'],
    handle: (call) => ({ status: 200, data: reactionsOf(call.room, target(call), call.params.reaction) }),
  }),
];

export function reactableIn(room: FakeRoom, id: string): FakeMessage | 'unknown' | 'no reactions' {
  const message = room.chat.byId(Number(id));
  if (!message) return 'unknown';
  return message.verb === 'comment' || message.verb === 'object_shared' ? message : 'no reactions';
}

function target({ room, request, parts: [, id = ''] }: RoomCall<unknown>): FakeMessage {
  const message = reactableIn(room, id);
  if (message === 'unknown') throw new OcsError(404, { data: null });
  if (message === 'no reactions') throw new OcsError(request.method === 'POST' ? 400 : 404, { data: null });
  return message;
}

function reactionsOf(room: FakeRoom, message: FakeMessage, only?: string): object {
  const reactions = room.chat.reactionsTo(message).filter(({ text }) => only === undefined || text === only);
  return Object.fromEntries(
    [...Map.groupBy(reactions, ({ text }) => text)].map(([emoji, given]) => [
      emoji,
      given.map(({ actor, timestamp }) => ({
        actorType: actor.type,
        actorId: actor.id,
        actorDisplayName: actor.name,
        timestamp,
      })),
    ]),
  );
}
