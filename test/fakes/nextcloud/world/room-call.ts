import { IN_CALL, type TalkSession } from './attendee.ts';
import type { FakeRoom } from './fake-room.ts';
import type { RoomWatcher } from './room-watcher.ts';

/** The call of a conversation. */
export class RoomCall {
  /** Unix time at which it began; 0: there is none. */
  since = 0;
  readonly #room: FakeRoom;
  readonly #now: () => number;
  readonly #watchers: readonly RoomWatcher[];

  constructor(room: FakeRoom, now: () => number, watchers: readonly RoomWatcher[]) {
    this.#room = room;
    this.#now = now;
    this.#watchers = watchers;
  }

  get sessions(): TalkSession[] {
    return this.#room.sessions.filter(({ inCall }) => inCall !== IN_CALL.none);
  }

  /** What all participants together have. */
  get flags(): number {
    return this.sessions.reduce((flags, { inCall }) => flags | inCall, 0);
  }

  join(session: TalkSession, flags: number): void {
    const { actor } = session.attendee;
    const isFirst = this.since === 0;
    session.inCall = flags;
    this.#tell((each) => each.inCallChanged?.(this.#room, flags, [session]));
    if (isFirst) {
      this.since = this.#now();
      this.#room.chat.tell('call_started', actor);
      this.#tell((each) => each.call?.(this.#room, 'started', session.attendee));
    } else this.#room.chat.tell('call_joined', actor);
  }

  change(session: TalkSession, flags: number): void {
    session.inCall = flags;
    this.#tell((each) => each.inCallChanged?.(this.#room, flags, [session]));
  }

  leave(sessions: readonly TalkSession[]): void {
    const leaving = sessions.filter(({ inCall }) => inCall !== IN_CALL.none);
    if (leaving.length === 0) return;
    for (const session of leaving) session.inCall = IN_CALL.none;
    this.#tell((each) => each.inCallChanged?.(this.#room, IN_CALL.none, leaving));
    const [first] = leaving;
    this.#room.chat.tell('call_left', first!.attendee.actor);
    if (this.sessions.length === 0) this.#ended('call_ended', first!);
  }

  /** Ends the call for everyone, as a moderator does. */
  end(by: TalkSession): void {
    for (const session of this.sessions) session.inCall = IN_CALL.none;
    this.#tell((each) => each.inCallChanged?.(this.#room, IN_CALL.none, null));
    this.#ended('call_ended_everyone', by);
  }

  #ended(message: 'call_ended' | 'call_ended_everyone', by: TalkSession): void {
    this.since = 0;
    this.#room.chat.tell(message, by.attendee.actor);
    this.#tell((each) => each.call?.(this.#room, 'ended', by.attendee));
  }

  #tell(happening: (watcher: RoomWatcher) => void): void {
    for (const watcher of this.#watchers) happening(watcher);
  }
}
