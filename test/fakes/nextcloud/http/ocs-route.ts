import type { OutgoingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { type Attendee, PERMISSION, type TalkSession } from '../world/attendee.ts';
import type { FakeNcUser } from '../world/fake-nc-user.ts';
import type { FakeRoom } from '../world/fake-room.ts';
import type { NcWorld } from '../world/nc-world.ts';
import { OcsError } from './nc-answer.ts';
import type { NcRequest } from './nc-request.ts';
import type { PhpSession } from './php-sessions.ts';

/** What all routes work on. */
export interface NcScene {
  readonly world: NcWorld;
  /** The Nextcloud's URL. */
  readonly origin: string;
  /** Notes a mistake of a client that the platform itself lets pass. */
  mistake(words: string): void;
}

/** A request whose login and parameters have been checked. */
export interface OcsCall<Params> extends NcScene {
  readonly request: NcRequest;
  readonly session: PhpSession;
  readonly user: FakeNcUser | null;
  /** The parts of the path that stand for something, decoded, in their order. */
  readonly parts: readonly string[];
  readonly params: Params;
}

export interface UserCall<Params> extends OcsCall<Params> {
  readonly user: FakeNcUser;
}

export interface RoomCall<Params> extends UserCall<Params> {
  readonly room: FakeRoom;
  readonly attendee: Attendee;
  /** Of the participant that this cookie's session has joined as; null: it has not. */
  readonly talkSession: TalkSession | null;
}

export interface OcsResult {
  readonly status: number;
  readonly data: unknown;
  readonly headers?: OutgoingHttpHeaders;
}

export interface OcsRoute {
  /** By which tests call it. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/ocs/v2.php/`; `:` stands for something. */
  readonly path: string;
  readonly isPublic: boolean;
  readonly params: z.ZodType;
  handle(call: OcsCall<never>): OcsResult | Promise<OcsResult>;
}

interface Declared<Params, Call> {
  readonly name: string;
  readonly method: OcsRoute['method'];
  readonly path: string;
  readonly params?: z.ZodType<Params>;
  handle(call: Call): OcsResult | Promise<OcsResult>;
}

const NO_PARAMETERS = z.strictObject({});

/** A request that needs no login. */
export function openRoute<Params>(declared: Declared<Params, OcsCall<Params>>): OcsRoute {
  return { params: NO_PARAMETERS, ...declared, isPublic: true } as OcsRoute;
}

export function userRoute<Params>(declared: Declared<Params, UserCall<Params>>): OcsRoute {
  return { params: NO_PARAMETERS, ...declared, isPublic: false } as OcsRoute;
}

/** What must hold for a participant, as the attributes of Talk's controllers say. */
export type Need = 'moderator' | 'no lobby' | 'chat' | 'writable' | 'calls';

/** A request about the conversation whose token is the first part that stands for something. */
export function roomRoute<Params>(
  declared: Declared<Params, RoomCall<Params>> & { readonly needs?: readonly Need[] },
): OcsRoute {
  const { needs = [], handle, ...rest } = declared;
  return userRoute<Params>({
    ...rest,
    handle: (call) => {
      const { world, user, session, parts } = call;
      const room = world.rooms.get(parts[0] ?? '');
      const attendee = room?.attendees.get(user.uid);
      if (!room || !attendee) throw new OcsError(404);
      const joined = session.joined.get(room.token);
      const talkSession = joined && attendee.sessions.includes(joined) ? joined : null;
      for (const need of needs) check(need, call, room, attendee);
      return handle({ ...call, room, attendee, talkSession });
    },
  });
}

/** The order is that of Talk: read-only before the lobby, the lobby before permissions. */
function check(need: Need, { world }: NcScene, room: FakeRoom, attendee: Attendee): void {
  if (need === 'calls' && world.policy.startCalls === 3) throw new OcsError(403);
  if (need === 'moderator' && !attendee.isModerator) throw new OcsError(403);
  if (need === 'writable' && room.isReadOnly) throw new OcsError(403);
  const ignoresLobby = attendee.isModerator || attendee.may(PERMISSION.ignoreLobby);
  if (need === 'no lobby' && room.hasLobby && !ignoresLobby) throw new OcsError(412);
  if (need === 'chat' && !attendee.may(PERMISSION.chat)) throw new OcsError(403);
}
