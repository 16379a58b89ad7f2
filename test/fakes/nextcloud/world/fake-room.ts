import { newFile } from '../dav/file-tree.ts';
import { Attendee, PARTICIPANT, type TalkSession } from './attendee.ts';
import { ChatLog } from './chat-log.ts';
import type { Actor, FakeMessage } from './fake-message.ts';
import type { FakeNcUser } from './fake-nc-user.ts';
import { newToken } from './nc-ids.ts';
import { RoomCall } from './room-call.ts';
import type { Watcher } from './room-watcher.ts';

/** https://nextcloud-talk.readthedocs.io/en/latest/constants/#conversation-types */
export const ROOM_TYPE = { 'one-to-one': 1, group: 2, public: 3 } as const;

export type RoomWatcher = Watcher<FakeRoom>;

export type RoomKind = keyof typeof ROOM_TYPE;

export interface FileToShare {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Buffer;
}

export interface WriteOptions {
  /** The id of a message. */
  readonly replyTo?: number;
  /** The id of the message that began the thread. */
  readonly thread?: number;
  /** Shared with the conversation; the text is its caption. */
  readonly file?: FileToShare;
  readonly silent?: boolean;
}

/** Where Talk keeps files that people share. */
export const ATTACHMENTS_FOLDER = 'Talk';

let lastId = 0;

/** A conversation. Its people are played by a test, or are bots. */
export class FakeRoom {
  readonly id: number;
  readonly token = newToken();
  readonly kind: RoomKind;
  readonly attendees = new Map<string, Attendee>();
  readonly chat: ChatLog;
  readonly call: RoomCall;
  /** The Talk bots that are enabled here, by their ids. */
  readonly bots = new Set<number>();
  name: string;
  isReadOnly = false;
  hasLobby = false;
  /** Whether who joins a call must agree to its recording, where the Nextcloud leaves it to the conversations. */
  wantsConsent = false;
  readonly #watchers: readonly RoomWatcher[];

  constructor(kind: RoomKind, name: string, now: () => number, watchers: readonly RoomWatcher[]) {
    lastId += 1;
    this.id = lastId;
    this.kind = kind;
    this.name = name;
    this.#watchers = watchers;
    this.chat = new ChatLog(now, {
      wrote: (message) => this.#tell((each) => each.wrote?.(this, message)),
      unreacted: (reaction) => this.#tell((each) => each.unreacted?.(this, reaction)),
    });
    this.call = new RoomCall(this.chat, now, {
      sessions: () => this.sessions,
      inCallChanged: (flags, sessions) => this.#tell((each) => each.inCallChanged?.(this, flags, sessions)),
      call: (happening, actor) => this.#tell((each) => each.call?.(this, happening, actor)),
    });
  }

  get type(): number {
    return ROOM_TYPE[this.kind];
  }

  get messages(): readonly FakeMessage[] {
    return this.chat.messages;
  }

  get sessions(): TalkSession[] {
    return [...this.attendees.values()].flatMap(({ sessions }) => sessions);
  }

  /** What a user sees as the conversation's name. */
  nameFor(uid: string): string {
    if (this.kind !== 'one-to-one') return this.name;
    const other = [...this.attendees.values()].find(({ user }) => user.uid !== uid);
    return other?.user.displayName ?? this.name;
  }

  /** Writes as a member, as in Talk's own client. Returns the message's id. */
  write(
    user: FakeNcUser,
    text: string,
    { replyTo, thread, file, silent = false }: WriteOptions = {},
  ): number {
    const { actor } = this.attendee(user);
    const parent = replyTo === undefined ? null : this.message(replyTo);
    const place = { replyTo: parent, thread: thread ?? null, isSilent: silent };
    if (!file) return this.chat.write(actor, { text, ...place }).id;
    const stored = newFile(file.bytes, file.mime);
    user.files.add(ATTACHMENTS_FOLDER, file.name, stored);
    return this.share(user, stored, { name: file.name, caption: text, ...place }).id;
  }

  /** Shares a file of the user's with all members. */
  share(
    user: FakeNcUser,
    file: ReturnType<typeof newFile>,
    more: {
      readonly name: string;
      readonly caption?: string;
      readonly replyTo?: FakeMessage | null;
      readonly referenceId?: string;
      readonly thread?: number | null;
      readonly isSilent?: boolean;
    },
  ): FakeMessage {
    for (const { user: member } of this.attendees.values())
      if (member !== user) member.files.add(ATTACHMENTS_FOLDER, more.name, file);
    const { name, caption: text = '', ...rest } = more;
    return this.chat.write(this.attendee(user).actor, { ...rest, text, file: { file, name } });
  }

  edit(user: FakeNcUser, id: number, text: string): void {
    this.chat.edit(this.message(id), this.attendee(user).actor, text);
  }

  delete(user: FakeNcUser, id: number): void {
    this.deleteMessage(this.message(id), this.attendee(user).actor);
  }

  /** A shared file is no longer shared then. Returns the message that tells of it. */
  deleteMessage(message: FakeMessage, by: Actor): FakeMessage {
    for (const { user } of this.attendees.values()) {
      const path = message.file && user.uid !== message.actor.id ? user.files.pathOf(message.file) : null;
      if (path !== null) user.files.remove(path);
    }
    return this.chat.delete(message, by);
  }

  react(user: FakeNcUser, id: number, emoji: string): void {
    this.chat.react(this.message(id), this.attendee(user).actor, emoji);
  }

  unreact(user: FakeNcUser, id: number, emoji: string): void {
    this.chat.unreact(this.message(id), this.attendee(user).actor, emoji);
  }

  /** What a user has written, without what is deleted. */
  writtenBy(user: FakeNcUser): FakeMessage[] {
    return this.messages.filter(
      ({ verb, actor }) => (verb === 'comment' || verb === 'object_shared') && actor.id === user.uid,
    );
  }

  message(id: number): FakeMessage {
    const message = this.chat.byId(id);
    if (!message) throw new Error(`no message ${id} in ${this.name}`);
    return message;
  }

  attendee(user: FakeNcUser): Attendee {
    const attendee = this.attendees.get(user.uid);
    if (!attendee) throw new Error(`${user.uid} is not in ${this.name}`);
    return attendee;
  }

  /** Adds a user. `by`: who did, or null when the conversation is made. */
  add(user: FakeNcUser, by: Actor | null = null, type: number = PARTICIPANT.user): Attendee {
    const known = this.attendees.get(user.uid);
    if (known) return known;
    const attendee = new Attendee(user, type);
    this.attendees.set(user.uid, attendee);
    for (const { verb, file, fileName } of this.messages)
      if (verb === 'object_shared' && file) user.files.add(ATTACHMENTS_FOLDER, fileName, file);
    this.#tell((each) => each.joined?.(this, [attendee]));
    if (by) this.chat.tell('user_added', by, attendee.actor);
    return attendee;
  }

  remove(user: FakeNcUser, by: Actor | null = null): void {
    const attendee = this.attendees.get(user.uid);
    if (!attendee) return;
    this.call.leave(attendee.sessions);
    this.attendees.delete(user.uid);
    this.#tell((each) => each.left?.(this, user, attendee.sessions));
    if (by) this.chat.tell('user_removed', by, attendee.actor);
  }

  endSessions(sessions: readonly TalkSession[]): void {
    this.call.leave(sessions);
    for (const { attendee } of sessions)
      attendee.sessions.splice(0, Infinity, ...attendee.sessions.filter((each) => !sessions.includes(each)));
  }

  /** Ends a session whose device joins anew. */
  replaceSession(session: TalkSession): void {
    this.endSessions([session]);
    this.#tell((each) => each.sessionsReplaced?.(this, [session]));
  }

  changeLobby(hasLobby: boolean): void {
    this.hasLobby = hasLobby;
    this.#tell((each) => each.roomChanged?.(this));
    if (hasLobby) this.call.leave(this.sessions.filter(({ attendee }) => !attendee.isModerator));
  }

  permit(user: FakeNcUser, permissions: number): void {
    const attendee = this.attendee(user);
    attendee.permissions = permissions;
    this.#tell((each) => each.participantsChanged?.(this, attendee.sessions));
  }

  rename(name: string): void {
    this.name = name;
    this.#tell((each) => each.roomChanged?.(this));
  }

  /** To be called by the world, which forgets it. */
  ended(): void {
    const users = [...this.attendees.values()].map(({ user }) => user);
    this.#tell((each) => each.deleted?.(this, users));
  }

  #tell(happening: (watcher: RoomWatcher) => void): void {
    for (const watcher of this.#watchers) happening(watcher);
  }
}
