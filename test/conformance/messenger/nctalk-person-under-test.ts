import { randomBytes } from 'node:crypto';
import { signatureOf } from '../../fakes/nextcloud/addon/gateway-posts.ts';
import type { FakeNextcloud } from '../../fakes/nextcloud/fake-nextcloud.ts';
import type { FakeMessage } from '../../fakes/nextcloud/world/fake-message.ts';
import type { FakeNcUser } from '../../fakes/nextcloud/world/fake-nc-user.ts';
import type { FakeRoom } from '../../fakes/nextcloud/world/fake-room.ts';
import { joined, type ScriptedSignaling } from '../../support/scripted-signaling.ts';
import { SEEN_ON } from '../../support/seen/platform-readers.ts';
import type { Seen } from '../../support/seen/seen.ts';
import type {
  ChannelUnderTest,
  Delivery,
  PersonUnderTest,
  ReceivedMessage,
  TestFile,
  WrittenMessage,
} from './messenger-under-test.ts';

export interface Owned {
  readonly nextcloud: FakeNextcloud;
  readonly signaling: ScriptedSignaling;
  readonly user: FakeNcUser;
  readonly bot: FakeNcUser;
  readonly room: FakeRoom;
}

/** With which they have the conversation before their eyes. */
const SESSION = 'session-of-the-owner';

/** What a bot says and posts on its own. */
const OWN = /^(?:You are connected\.|__\w+_probe:)/;

/** A person with a Nextcloud, in the conversation with their bot. */
export class NextcloudOwner implements PersonUnderTest, Owned {
  readonly nextcloud: FakeNextcloud;
  readonly signaling: ScriptedSignaling;
  readonly user: FakeNcUser;
  readonly bot: FakeNcUser;
  readonly room: FakeRoom;
  /** Messages that were delivered by a test, by their deliveries. */
  readonly #delivered = new Map<string, number>();

  constructor({ nextcloud, signaling, user, bot, room }: Owned) {
    this.nextcloud = nextcloud;
    this.signaling = signaling;
    signaling.inRoom = [joined(SESSION, user.displayName)];
    this.user = user;
    this.bot = bot;
    this.room = room;
  }

  get remoteId(): string {
    return this.user.uid;
  }

  get name(): string {
    return this.user.displayName;
  }

  writes(text: string): WrittenMessage {
    return this.#written(this.room.write(this.user, text));
  }

  sendsFile(file: TestFile, caption: string): WrittenMessage {
    return this.#written(this.room.write(this.user, caption, { file }));
  }

  /** The addon posts again. */
  repeats({ platformMessageId }: WrittenMessage): void {
    const { text } = this.room.message(Number(platformMessageId));
    void this.nextcloud.addon.posts.post('/api/nctalk/chat', this.#body(text, 'Activity'));
  }

  edits({ platformMessageId }: WrittenMessage, text: string): void {
    this.room.edit(this.user, Number(platformMessageId), text);
  }

  /** The addon posts the answers of webhooks as a Talk bot. */
  received(): readonly ReceivedMessage[] {
    return this.room.messages.filter((each) => isFromBot(each, this.bot)).map(received);
  }

  sees(id: string): Seen {
    return SEEN_ON.talk(this.room.message(Number(id)).text);
  }

  answers(id: string, text: string): WrittenMessage {
    return this.#written(this.room.write(this.user, text, { replyTo: Number(id) }));
  }

  reacts(id: string, isAdded: boolean): void {
    if (isAdded) this.room.react(this.user, Number(id), '👍');
    else this.room.unreact(this.user, Number(id), '👍');
  }

  reactionsTo(id: string): readonly string[] {
    return this.room.chat
      .reactionsTo(this.room.message(Number(id)))
      .filter(({ actor }) => actor.id === this.bot.uid)
      .map(({ text }) => text);
  }

  typingShown(): number {
    return this.signaling
      .all('message')
      .filter(
        ({ message: { recipient, data } }) =>
          recipient.sessionid === SESSION && data.type === 'startedTyping',
      ).length;
  }

  /** The addon has the gateway look into the conversation. */
  isLookedAt(): void {
    const body = { type: 'attendee_added', room_token: this.room.token, bot_user_id: this.bot.uid };
    void this.nextcloud.addon.posts.post('/api/nctalk/attendee-added', body);
  }

  delivery(text: string): Delivery {
    const { messages } = this.room;
    const { eventsWork } = this.nextcloud.addon;
    this.nextcloud.addon.eventsWork = false;
    const id = this.room.write(this.user, text);
    this.nextcloud.addon.eventsWork = eventsWork;
    const delivery = this.signed(JSON.stringify(this.#body(text, 'Activity')));
    this.#delivered.set(
      delivery.body,
      messages.findIndex((each) => each.id === id),
    );
    return delivery;
  }

  signed(body: string): Delivery {
    const random = randomBytes(16).toString('hex');
    const signature = signatureOf(random, this.nextcloud.addon.apiSecret);
    return { headers: { 'X-Maquisard-Random': random, 'X-Maquisard-Signature': signature }, body };
  }

  /** Whoever forges a delivery cannot write in the conversation. */
  retract({ body }: Delivery): void {
    const index = this.#delivered.get(body);
    if (index !== undefined) this.room.chat.messages.splice(index, 1);
    this.#delivered.delete(body);
  }

  #written(id: number): WrittenMessage {
    const before = this.nextcloud.addon.posts.sent.length - 1;
    return {
      platformMessageId: `${id}`,
      // Where it is polled for, it is in the conversation whatever the gateway has acknowledged.
      isAcknowledged: () => {
        const post = this.nextcloud.addon.posts.sent[before];
        return !this.nextcloud.addon.eventsWork || post === undefined || post.status === 200;
      },
    };
  }

  #body(message: string, type: string) {
    return {
      ...{ type, room_token: this.room.token, sender: this.name, sender_id: `users/${this.user.uid}` },
      ...{ message, room_type: 1, bot_user: this.bot.uid, bot_owner: this.user.uid },
    };
  }
}

/** A group of the Nextcloud in which the bot is active. */
export class NextcloudRoom implements ChannelUnderTest {
  readonly #room: FakeRoom;
  readonly #member: FakeNcUser;
  readonly #bot: FakeNcUser;
  /** What was written before: the bot's answer to its activation. */
  readonly #before: number;

  constructor(room: FakeRoom, member: FakeNcUser, bot: FakeNcUser) {
    this.#room = room;
    this.#member = member;
    this.#bot = bot;
    this.#before = room.messages.length;
  }

  get id(): string {
    return this.#room.token;
  }

  get name(): string {
    return this.#room.name;
  }

  get memberName(): string {
    return this.#member.displayName;
  }

  writes(text: string, thread?: string): string {
    const place = thread === undefined ? {} : { thread: Number(thread) };
    return `${this.#room.write(this.#member, text, { ...place })}`;
  }

  received(): readonly { readonly text: string; readonly thread: string | null }[] {
    return this.#room.messages
      .slice(this.#before)
      .filter((each) => isFromBot(each, this.#bot))
      .map(({ text, thread }) => ({ text, thread: thread === null ? null : `${thread}` }));
  }
}

function isFromBot({ actor, verb, text }: FakeMessage, bot: FakeNcUser): boolean {
  const isWritten = verb === 'comment' || verb === 'object_shared';
  return isWritten && (actor.id === bot.uid || actor.type === 'bots') && !OWN.test(text);
}

function received({ id, text, file, parent }: FakeMessage): ReceivedMessage {
  const quotes = parent === null ? null : `${parent.id}`;
  return { platformMessageId: `${id}`, text, file: file?.bytes ?? null, quotes };
}
