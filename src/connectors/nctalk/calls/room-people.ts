import { oneLine } from '../../../base/one-line.ts';
import type { LegObserver, Participant } from '../../contract/call-leg.ts';
import type { CallUser, JoinedSession } from '../signaling/hpb-messages.ts';
import { IN_CALL } from './talk-room.ts';

/** Sessions of a room that are remembered: more than Talk's calls can have. */
const MAX_SESSIONS = 2_000;
const MAX_NAME = 100;
const GUEST = 'Guest';

interface RoomPeopleDeps {
  readonly report: LegObserver['participants'];
  /** Who is in the call, or can be heard, may have changed. */
  readonly changed: () => void;
  /** The bot as a user of the Nextcloud. Its other sessions are nobody's. */
  readonly ownUserId: string;
}

interface Session {
  userId: string;
  name: string;
  inCall: number;
  /** A service, or somebody whose service speaks for them. */
  isInternal: boolean;
  isVirtual: boolean;
}

/** The sessions in a room, and which of them are in the call. A person has one for each device. */
export class RoomPeople {
  readonly #deps: RoomPeopleDeps;
  readonly #sessions = new Map<string, Session>();
  #ownId = '';

  constructor(deps: RoomPeopleDeps) {
    this.#deps = deps;
  }

  /** Begins again, with this session of the bot's. */
  reset(ownId: string): void {
    this.#ownId = ownId;
    this.#sessions.clear();
  }

  joined(sessions: readonly JoinedSession[]): void {
    for (const { sessionid, userid, user } of sessions) {
      const session = this.#at(sessionid);
      if (session === null) continue;
      session.userId = userid || session.userId;
      session.name = user?.displayname || session.name;
    }
    this.#tell();
  }

  left(sessionIds: readonly string[]): void {
    for (const sessionId of sessionIds) this.#sessions.delete(sessionId);
    this.#tell();
  }

  users(users: readonly CallUser[]): void {
    for (const { sessionId, inCall, userId, displayName, internal, virtual } of users) {
      const session = this.#at(sessionId);
      if (session === null) continue;
      session.userId = userId || session.userId;
      session.name = displayName || session.name;
      session.inCall = inCall ?? session.inCall;
      session.isInternal = internal ?? session.isInternal;
      session.isVirtual = virtual ?? session.isVirtual;
    }
    this.#tell();
  }

  /** Somebody has said what they are called, as guests do. */
  named(sessionId: string, name: string): void {
    const session = this.#sessions.get(sessionId);
    if (session === undefined || session.userId !== '') return;
    session.name = name;
    this.#tell();
  }

  /** Everybody in the room but the bot. */
  get others(): readonly string[] {
    return [...this.#sessions.keys()].filter((id) => id !== this.#ownId);
  }

  /** The others in the call. */
  get inCall(): readonly string[] {
    return this.#inCall().map(([id]) => id);
  }

  /** Those in the call who send audio of their own. */
  get audible(): readonly string[] {
    return this.#inCall()
      .filter(([, { inCall, isVirtual }]) => (inCall & IN_CALL.audio) !== 0 && !isVirtual)
      .map(([id]) => id);
  }

  /** Returns the session; null: it is one of the bot's, or there are too many. */
  #at(sessionId: string): Session | null {
    if (sessionId === this.#ownId) return null;
    const known = this.#sessions.get(sessionId);
    if (known !== undefined) return known;
    if (this.#sessions.size >= MAX_SESSIONS) return null;
    const session = { userId: '', name: '', inCall: 0, isInternal: false, isVirtual: false };
    this.#sessions.set(sessionId, session);
    return session;
  }

  #inCall(): (readonly [string, Session])[] {
    const isOther = ({ inCall, userId }: Session): boolean =>
      (inCall & IN_CALL.joined) !== 0 && userId !== this.#deps.ownUserId;
    return [...this.#sessions].filter(([, session]) => isOther(session));
  }

  #tell(): void {
    const people = this.#inCall().filter(([, { isInternal }]) => !isInternal);
    this.#deps.report(people.map(([id, session]): Participant => ({ id, name: nameOf(session) })));
    this.#deps.changed();
  }
}

function nameOf({ name, userId }: Session): string {
  return oneLine(name, MAX_NAME) || oneLine(userId, MAX_NAME) || GUEST;
}
