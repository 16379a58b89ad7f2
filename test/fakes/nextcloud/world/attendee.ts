import type { Actor } from './fake-message.ts';
import type { FakeNcUser } from './fake-nc-user.ts';
import { newWord } from './nc-ids.ts';

/** https://nextcloud-talk.readthedocs.io/en/latest/constants/#participant-types */
export const PARTICIPANT = { owner: 1, moderator: 2, user: 3 } as const;
/** https://nextcloud-talk.readthedocs.io/en/latest/constants/#attendee-permissions */
export const PERMISSION = {
  custom: 1,
  startCall: 2,
  joinCall: 4,
  ignoreLobby: 8,
  publishAudio: 16,
  publishVideo: 32,
  publishScreen: 64,
  chat: 128,
} as const;
export const ALL_PERMISSIONS = 254;
/** https://nextcloud-talk.readthedocs.io/en/latest/constants/#participant-in-call-flag */
export const IN_CALL = { none: 0, inCall: 1, audio: 2, video: 4, phone: 8 } as const;

/** A person's stay in a conversation on one device. */
export interface TalkSession {
  readonly id: string;
  readonly attendee: Attendee;
  inCall: number;
  lastPing: number;
}

let lastId = 0;

/** A user's place in a conversation. */
export class Attendee {
  readonly id: number;
  readonly user: FakeNcUser;
  readonly sessions: TalkSession[] = [];
  type: number;
  /** 0: those of everyone. */
  permissions = 0;
  hasConsented = false;

  constructor(user: FakeNcUser, type: number) {
    lastId += 1;
    this.id = lastId;
    this.user = user;
    this.type = type;
  }

  get actor(): Actor {
    return { type: 'users', id: this.user.uid, name: this.user.displayName };
  }

  get isModerator(): boolean {
    return this.type === PARTICIPANT.owner || this.type === PARTICIPANT.moderator;
  }

  /** The permissions that apply. Moderators have all but the one that ignores lobbies, which they need not. */
  get effectivePermissions(): number {
    if (this.isModerator) return ALL_PERMISSIONS;
    return this.permissions === 0 ? ALL_PERMISSIONS & ~PERMISSION.ignoreLobby : this.permissions;
  }

  may(permission: number): boolean {
    return (this.effectivePermissions & permission) !== 0;
  }

  join(now: number): TalkSession {
    const session = { id: newWord(255), attendee: this, inCall: IN_CALL.none, lastPing: now };
    this.sessions.push(session);
    return session;
  }
}
