import type { Attendee, TalkSession } from './attendee.ts';
import type { FakeMessage } from './fake-message.ts';
import type { FakeNcUser } from './fake-nc-user.ts';
import type { FakeRoom } from './fake-room.ts';

/** What hears of what happens in conversations, as listeners of Nextcloud's events do. */
export interface RoomWatcher {
  wrote?(room: FakeRoom, message: FakeMessage): void;
  joined?(room: FakeRoom, attendees: readonly Attendee[]): void;
  left?(room: FakeRoom, user: FakeNcUser, sessions: readonly TalkSession[]): void;
  /** The same device has joined anew. */
  sessionsReplaced?(room: FakeRoom, sessions: readonly TalkSession[]): void;
  /** A call began with its first participant, or ended with its last. */
  call?(room: FakeRoom, happening: 'started' | 'ended', actor: Attendee | null): void;
  /** `sessions`: null for everyone. */
  inCallChanged?(room: FakeRoom, flags: number, sessions: readonly TalkSession[] | null): void;
  participantsChanged?(room: FakeRoom, sessions: readonly TalkSession[]): void;
  roomChanged?(room: FakeRoom): void;
  deleted?(room: FakeRoom, users: readonly FakeNcUser[]): void;
}
