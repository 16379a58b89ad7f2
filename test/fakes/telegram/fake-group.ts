import { ApiError, badRequest } from './api-error.ts';
import { FakeChat, type FakeMessage, type WrittenBot } from './fake-chat.ts';
import type { PersonFacts } from './fake-person.ts';

/** The user in whose name Telegram shows what administrators write anonymously. */
const ANONYMOUS = { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' };
const SUPERGROUPS = -1_000_000_000_000;
const MARK = /(?<!\S)(?:@\w+|\/\w+(?:@\w+)?)/g;

const NOTHING: FakeMessage = { message_id: 0, date: 0 };

export interface GroupFacts {
  readonly title: string;
  readonly type: 'group' | 'supergroup';
  readonly is_forum?: true;
}

/** What a message has besides its words. */
export interface InGroup {
  /** The topic of the forum. */
  readonly topic?: number;
  readonly answers?: FakeMessage;
  readonly content?: Readonly<Record<string, unknown>>;
}

/** A group with one bot in it, which is in privacy mode unless it `readsAll`. */
export class FakeGroup extends FakeChat {
  readonly #facts: GroupFacts;
  readonly #id: number;
  readonly #topics = new Map<number, 'open' | 'closed'>();
  /** The ids of those who decide over it. */
  readonly owners = new Set<number>();
  #lastMessageId = 0;
  #isGone = false;
  #supergroup: FakeGroup | null = null;
  /** Privacy mode is off, or the bot is an administrator. */
  readsAll = false;

  constructor(bot: WrittenBot, number: number, facts: GroupFacts) {
    super(bot);
    this.#facts = facts;
    this.#id = facts.type === 'group' ? -number : SUPERGROUPS - number;
    // The topic of what is in none has the first id.
    if (facts.is_forum) this.#lastMessageId = 1;
  }

  get id(): number {
    return this.#id;
  }

  get title(): string {
    return this.#facts.title;
  }

  get chat(): Readonly<Record<string, unknown>> {
    return { id: this.#id, ...this.#facts };
  }

  /** A supergroup counts its own messages, a group those of the bot's private chats, too. */
  nextMessageId(): number {
    if (this.#facts.type === 'group') return this.bot.nextMessageId();
    this.#lastMessageId += 1;
    return this.#lastMessageId;
  }

  refusal(topic: number | undefined): ApiError | null {
    if (this.#supergroup) {
      const words = 'Bad Request: group chat was upgraded to a supergroup chat';
      return new ApiError(400, words, 0, this.#supergroup.id);
    }
    if (this.#isGone) return new ApiError(403, `Forbidden: bot was kicked from the ${this.#facts.type} chat`);
    if (topic === undefined) return null;
    const state = this.#topics.get(topic);
    if (state === undefined) return badRequest('message thread not found');
    return state === 'closed' ? badRequest('TOPIC_CLOSED') : null;
  }

  /** Makes a topic, as a member does. Returns its id. */
  opensTopic(name: string): number {
    const created = this.written(this.bot.user, { forum_topic_created: { name, icon_color: 7_322_096 } });
    this.#topics.set(created.message_id, 'open');
    return created.message_id;
  }

  closesTopic(topic: number): void {
    this.#topics.set(topic, 'closed');
  }

  says(member: PersonFacts, text: string, more: InGroup = {}): FakeMessage {
    return this.#write({ ...member, is_bot: false }, { text, entities: marksIn(text) }, more);
  }

  /** Somebody, or a bot, writes whatever the message holds. */
  writes(from: object, content: Readonly<Record<string, unknown>>, more: InGroup = {}): FakeMessage {
    return this.#write(from, content, more);
  }

  /** An administrator writes in the name of the group. */
  saysAnonymously(text: string): FakeMessage {
    return this.#write(ANONYMOUS, { text, entities: marksIn(text), sender_chat: this.chat }, {});
  }

  /** Telegram does not tell bots. */
  deletes({ message_id: id }: FakeMessage): void {
    this.forgets(id);
  }

  edits(message: FakeMessage, text: string): void {
    const { message_id, date, chat, from } = message;
    const edited = { message_id, date, chat, from, edit_date: date, text, entities: marksIn(text) };
    if (this.#isShown(edited) || this.#isShown(message)) this.bot.tell('edited_message', edited);
  }

  presses(member: PersonFacts, message: FakeMessage, label: string): void {
    this.pressed({ ...member, is_bot: false }, message, label);
  }

  reacts(member: PersonFacts, messageId: number, now: readonly string[]): void {
    this.reacted({ user: { ...member, is_bot: false } }, messageId, [[], now]);
  }

  memberOf(userId: number): object {
    const user = { id: userId, is_bot: false, first_name: 'Somebody' };
    return this.owners.has(userId)
      ? { status: 'creator', user, is_anonymous: false }
      : { status: 'member', user };
  }

  /** A member removes the bot, or adds it again. */
  removesBot(member: PersonFacts, isGone = true): void {
    this.#isGone = isGone;
    const { user } = this.bot;
    const state = (isOut: boolean) => (isOut ? { status: 'left', user } : { status: 'member', user });
    this.bot.tell('my_chat_member', {
      chat: this.chat,
      from: { ...member, is_bot: false },
      date: this.bot.nowS(),
      old_chat_member: state(!isGone),
      new_chat_member: state(isGone),
    });
  }

  /** The group becomes a supergroup; both chats say so, unless nobody `tells` the bot in time. */
  becomes(supergroup: FakeGroup, tells = true): void {
    this.#supergroup = supergroup;
    if (!tells) return;
    this.bot.tell('message', this.written(ANONYMOUS, { migrate_to_chat_id: supergroup.id }));
    this.bot.tell('message', supergroup.written(ANONYMOUS, { migrate_from_chat_id: this.id }));
  }

  #write(
    from: object,
    content: Readonly<Record<string, unknown>>,
    { topic, answers, content: more }: InGroup,
  ) {
    const inTopic = topic === undefined ? {} : { message_thread_id: topic, is_topic_message: true };
    // In a topic, whatever answers nothing else answers the notice that the topic was made.
    const { reply_to_message: _former, ...answered } = answers ?? this.message(topic ?? 0) ?? NOTHING;
    const reply = answered.message_id === 0 ? {} : { reply_to_message: answered };
    const message = this.written(from, { ...content, ...inTopic, ...reply, ...more });
    if (this.#isShown(message)) this.bot.tell('message', message);
    return message;
  }

  /**
   * In privacy mode: commands, and answers to the bot (https://core.telegram.org/bots/features#privacy-mode). Mentions are not
   * among them, whatever BotFather says (github.com/HKUDS/nanobot/issues/449, archestra-ai/archestra/pull/6562).
   */
  #isShown(message: FakeMessage): boolean {
    const { text, caption, entities, caption_entities: ofCaption, reply_to_message: answered } = message;
    if (this.readsAll) return true;
    const author = (answered as { from?: { id: number }; forum_topic_created?: object } | undefined) ?? {};
    if (author.from?.id === this.bot.id && !author.forum_topic_created) return true;
    const own = `@${this.bot.username}`.toLowerCase();
    return ((entities ?? ofCaption ?? []) as readonly FakeEntity[]).some(({ type, offset, length }) => {
      const marked = (text ?? caption ?? '').slice(offset, offset + length).toLowerCase();
      return type === 'bot_command' && (marked.endsWith(own) || !marked.includes('@'));
    });
  }
}

interface FakeEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
}

/** What Telegram finds in a text by itself. */
function marksIn(text: string): FakeEntity[] {
  return [...text.matchAll(MARK)].map(({ 0: mark, index: offset }) => ({
    type: mark.startsWith('@') ? 'mention' : 'bot_command',
    offset,
    length: mark.length,
  }));
}
