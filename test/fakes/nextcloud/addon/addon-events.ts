import { actorOf } from '../talk/talk-bots.ts';
import type { Attendee } from '../world/attendee.ts';
import type { FakeMessage } from '../world/fake-message.ts';
import type { FakeNcUser } from '../world/fake-nc-user.ts';
import type { FakeRoom, RoomWatcher } from '../world/fake-room.ts';
import type { NcWorld } from '../world/nc-world.ts';
import { shownMessage } from '../world/wire-message.ts';
import type { FakeAddon } from './fake-addon.ts';

const CHAT_TIMEOUT_MS = 120_000;

/** What the addon tells the gateway of conversations. */
export class AddonEvents implements RoomWatcher {
  readonly #addon: FakeAddon;
  readonly #world: NcWorld;
  readonly #origin: () => string;

  constructor(addon: FakeAddon, world: NcWorld, origin: () => string) {
    this.#addon = addon;
    this.#world = world;
    this.#origin = origin;
  }

  /** Talk tells its bots of what people write and of its own messages, not of what bots write, nor of reactions that are added. */
  wrote(room: FakeRoom, message: FakeMessage): void {
    const { isEnabled, eventsWork, talkBot } = this.#addon;
    if (!isEnabled || !eventsWork || !talkBot || !room.bots.has(talkBot.id)) return;
    const isOfBot = message.actor.type === 'bots' && message.verb === 'comment';
    if (isOfBot || message.verb === 'reaction') return;
    const nonce = this.#nonceIn(message);
    if (nonce !== null) void this.#probed(room, message, nonce);
    else if (!this.#addon.isBot(message.actor.id) && this.#mayForward(room, message))
      void this.#forward(room, message);
  }

  joined(room: FakeRoom, attendees: readonly Attendee[]): void {
    if (!this.#addon.isEnabled) return;
    for (const { user, isModerator } of attendees) {
      if (!this.#addon.bots.has(user.uid)) continue;
      void this.#tellOfAttendee('attendee_added', room, user);
      // Done with the bot's own login: only moderators may.
      if (isModerator) this.#addon.enableIn(room);
    }
  }

  left(room: FakeRoom, user: FakeNcUser): void {
    if (this.#addon.isEnabled && this.#addon.bots.has(user.uid))
      void this.#tellOfAttendee('attendee_removed', room, user);
  }

  call(room: FakeRoom, happening: 'started' | 'ended', actor: Attendee | null): void {
    if (!this.#addon.isEnabled || this.#addon.bots.size === 0) return;
    void this.#addon.posts.post(`/api/nctalk/call-${happening}`, {
      type: `call_${happening}`,
      ...aboutRoom(room),
      actor_id: actor?.user.uid ?? '',
    });
  }

  async #tellOfAttendee(
    type: 'attendee_added' | 'attendee_removed',
    room: FakeRoom,
    user: FakeNcUser,
  ): Promise<void> {
    await this.#addon.posts.post(`/api/nctalk/${type.replace('_', '-')}`, {
      type,
      ...aboutRoom(room),
      bot_user_id: user.uid,
    });
  }

  #nonceIn({ actor, text }: FakeMessage): string | null {
    if (!this.#addon.isBot(actor.id)) return null;
    const marker = new RegExp(`^__${this.#addon.brandId}_probe:([A-Za-z0-9_-]{8,64})__$`);
    return marker.exec(text.trim())?.[1] ?? null;
  }

  async #probed(room: FakeRoom, { actor }: FakeMessage, nonce: string): Promise<void> {
    const body = { nonce, bot_login: actor.id, room_token: room.token };
    await this.#addon.posts.post('/api/nctalk/probe', body);
  }

  #mayForward(room: FakeRoom, { text, actor }: FakeMessage): boolean {
    const { bots, authorizedRooms } = this.#addon;
    if (text.trim() === '/activate' || text.trim() === '/deactivate') return true;
    if (bots.size === 0 || authorizedRooms.has(room.token)) return true;
    const isOwner = [...bots.values()].some(({ owner }) => owner === actor.id);
    return isOwner && this.#botIn(room) !== null && room.kind === 'one-to-one';
  }

  /** The first bot that sees the conversation. */
  #botIn(room: FakeRoom) {
    return [...this.#addon.bots.values()].find(({ user }) => room.attendees.has(user.uid)) ?? null;
  }

  async #forward(room: FakeRoom, message: FakeMessage): Promise<void> {
    const { bots, posts, version, talkBot, takesAnswers } = this.#addon;
    const inRoom = this.#botIn(room);
    const bot = inRoom ?? [...bots.values()].find(({ owner }) => owner === message.actor.id);
    const view = { world: this.#world, origin: this.#origin(), room, viewer: null };
    const { text, parameters } = shownMessage(view, message);
    const files = Object.values(parameters).filter(({ type }) => type === 'file');
    const body = {
      type: message.verb === 'comment' && takesAnswers ? 'Create' : 'Activity',
      room_token: room.token,
      sender: message.actor.name,
      sender_id: `${message.actor.type}/${message.actor.id}`,
      message: text,
      room_type: inRoom ? room.type : 0,
      bot_user: bot?.user.uid ?? '',
      bot_owner: bot?.owner ?? '',
      ...(version !== '2.3' && files.length > 0 && { attachments: files.map(attachmentOf) }),
    };
    const post = await posts.post('/api/nctalk/chat', body, { timeoutMs: CHAT_TIMEOUT_MS });
    const answer = post?.answer as { readonly message?: unknown } | null | undefined;
    const isAnswered = post !== null && post.status >= 200 && post.status < 300;
    if (isAnswered && typeof answer?.message === 'string' && answer.message !== '' && talkBot)
      room.chat.write(actorOf(talkBot), { text: answer.message });
  }
}

function aboutRoom({ token, type, name }: FakeRoom) {
  return { room_token: token, room_type: type, room_name: name };
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function attachmentOf({ id, name, mimetype, size, path }: Readonly<Record<string, unknown>>) {
  return {
    file_id: textIn(id),
    name: textIn(name),
    mime: textIn(mimetype),
    size: Number(size),
    path: textIn(path),
  };
}
