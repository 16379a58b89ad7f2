import { PARTICIPANT } from './attendee.ts';
import type { FakeNcUser } from './fake-nc-user.ts';
import { FakeRoom, type RoomKind, type RoomWatcher } from './fake-room.ts';

export interface NewRoom {
  readonly kind: RoomKind;
  readonly name?: string;
  /** The first one owns it; of a one-to-one conversation both do. */
  readonly members: readonly FakeNcUser[];
}

/** How the administrator has set Nextcloud up. */
export interface NcPolicy {
  isInMaintenance: boolean;
  /** Talk's switch for end-to-end encrypted calls. */
  encryptsCalls: boolean;
  /** 0: no, 1: yes, 2: conversations decide. */
  recordingConsent: 0 | 1 | 2;
  /** 0: everyone, 1: users, 2: moderators, 3: nobody. */
  startCalls: 0 | 1 | 2 | 3;
  /** Features of Talk that are missing here, by their names in its capabilities. */
  readonly withoutFeatures: Set<string>;
}

/** Users and conversations of a Nextcloud. */
export class NcWorld {
  readonly users = new Map<string, FakeNcUser>();
  readonly rooms = new Map<string, FakeRoom>();
  readonly watchers: RoomWatcher[] = [];
  readonly policy: NcPolicy = {
    isInMaintenance: false,
    encryptsCalls: false,
    recordingConsent: 0,
    startCalls: 0,
    withoutFeatures: new Set(),
  };
  readonly now: () => number;

  /** `now`: Unix time, in seconds. */
  constructor(now: () => number) {
    this.now = now;
  }

  addUser(user: FakeNcUser): FakeNcUser {
    if (this.users.has(user.uid)) throw new Error(`there is a user ${user.uid} already`);
    this.users.set(user.uid, user);
    return user;
  }

  addRoom({ kind, name = '', members }: NewRoom): FakeRoom {
    const [first, ...others] = members;
    if (!first) throw new Error('a conversation without members');
    const room = new FakeRoom(kind, name, this.now, this.watchers);
    this.rooms.set(room.token, room);
    room.add(first, null, PARTICIPANT.owner);
    room.chat.tell('conversation_created', room.attendee(first).actor);
    for (const each of others)
      if (kind === 'one-to-one') room.add(each, null, PARTICIPANT.owner);
      else room.add(each, room.attendee(first).actor);
    return room;
  }

  /** Returns the conversation of two users, which is made at the first time. */
  direct(one: FakeNcUser, other: FakeNcUser): { readonly room: FakeRoom; readonly isNew: boolean } {
    const known = [...this.rooms.values()].find(
      ({ kind, attendees }) => kind === 'one-to-one' && attendees.has(one.uid) && attendees.has(other.uid),
    );
    if (known) return { room: known, isNew: false };
    return { room: this.addRoom({ kind: 'one-to-one', members: [one, other] }), isNew: true };
  }

  deleteUser(user: FakeNcUser): void {
    user.isDisabled = true;
    this.users.delete(user.uid);
    for (const room of this.rooms.values()) room.remove(user);
  }

  deleteRoom(room: FakeRoom): void {
    this.rooms.delete(room.token);
    room.ended();
  }

  roomsOf(user: FakeNcUser): FakeRoom[] {
    return [...this.rooms.values()].filter(({ attendees }) => attendees.has(user.uid));
  }
}
