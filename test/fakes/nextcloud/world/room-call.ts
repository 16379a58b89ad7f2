import { type Attendee, IN_CALL, type TalkSession } from './attendee.ts';
import type { ChatLog } from './chat-log.ts';

/** What a conversation tells its call, and hears of it. */
export interface CallHolder {
  sessions(): readonly TalkSession[];
  /** `sessions`: null for everyone. */
  inCallChanged(flags: number, sessions: readonly TalkSession[] | null): void;
  call(happening: 'started' | 'ended', actor: Attendee): void;
}

/** The call of a conversation. */
export class RoomCall {
  /** Unix time at which it began; 0: there is none. */
  since = 0;
  readonly #chat: ChatLog;
  readonly #now: () => number;
  readonly #holder: CallHolder;

  constructor(chat: ChatLog, now: () => number, holder: CallHolder) {
    this.#chat = chat;
    this.#now = now;
    this.#holder = holder;
  }

  get sessions(): TalkSession[] {
    return this.#holder.sessions().filter(({ inCall }) => inCall !== IN_CALL.none);
  }

  /** What all participants together have. */
  get flags(): number {
    return this.sessions.reduce((flags, { inCall }) => flags | inCall, 0);
  }

  join(session: TalkSession, flags: number): void {
    const { actor } = session.attendee;
    const isFirst = this.since === 0;
    session.inCall = flags;
    this.#holder.inCallChanged(flags, [session]);
    if (isFirst) {
      this.since = this.#now();
      this.#chat.tell('call_started', actor);
      this.#holder.call('started', session.attendee);
    } else this.#chat.tell('call_joined', actor);
  }

  change(session: TalkSession, flags: number): void {
    session.inCall = flags;
    this.#holder.inCallChanged(flags, [session]);
  }

  leave(sessions: readonly TalkSession[]): void {
    const leaving = sessions.filter(({ inCall }) => inCall !== IN_CALL.none);
    if (leaving.length === 0) return;
    for (const session of leaving) session.inCall = IN_CALL.none;
    this.#holder.inCallChanged(IN_CALL.none, leaving);
    const [first] = leaving;
    this.#chat.tell('call_left', first!.attendee.actor);
    if (this.sessions.length === 0) this.#ended('call_ended', first!);
  }

  /** Ends the call for everyone, as a moderator does. */
  end(by: TalkSession): void {
    for (const session of this.sessions) session.inCall = IN_CALL.none;
    this.#holder.inCallChanged(IN_CALL.none, null);
    this.#ended('call_ended_everyone', by);
  }

  #ended(message: 'call_ended' | 'call_ended_everyone', by: TalkSession): void {
    this.since = 0;
    this.#chat.tell(message, by.attendee.actor);
    this.#holder.call('ended', by.attendee);
  }
}
