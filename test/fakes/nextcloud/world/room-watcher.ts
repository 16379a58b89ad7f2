import type { Attendee, TalkSession } from './attendee.ts';
import type { FakeMessage } from './fake-message.ts';
import type { FakeNcUser } from './fake-nc-user.ts';

/** What hears of what happens in conversations, as listeners of Nextcloud's events do. */
export interface Watcher<Room> {
  wrote?(room: Room, message: FakeMessage): void;
  unreacted?(room: Room, reaction: FakeMessage): void;
  joined?(room: Room, attendees: readonly Attendee[]): void;
  left?(room: Room, user: FakeNcUser, sessions: readonly TalkSession[]): void;
  /** The same device has joined anew. */
  sessionsReplaced?(room: Room, sessions: readonly TalkSession[]): void;
  /** A call began with its first participant, or ended with its last. */
  call?(room: Room, happening: 'started' | 'ended', actor: Attendee | null): void;
  /** `sessions`: null for everyone. */
  inCallChanged?(room: Room, flags: number, sessions: readonly TalkSession[] | null): void;
  participantsChanged?(room: Room, sessions: readonly TalkSession[]): void;
  roomChanged?(room: Room): void;
  deleted?(room: Room, users: readonly FakeNcUser[]): void;
}
