import type { FormFile } from '../multipart-form.ts';

export interface PersonFacts {
  readonly id: number;
  readonly first_name: string;
  readonly last_name?: string;
  readonly username?: string;
}

/** A message in the words of the API. */
export interface FakeMessage {
  readonly message_id: number;
  readonly date: number;
  readonly text?: string;
  readonly caption?: string;
  readonly media_group_id?: string;
  readonly [field: string]: unknown;
}

/** Kinds of messages that are a file. */
export type SentKind =
  | 'photo'
  | 'document'
  | 'voice'
  | 'audio'
  | 'video'
  | 'video_note'
  | 'animation'
  | 'sticker';

/** The parts of a bot that a person who writes to it uses. */
export interface WrittenBot {
  readonly user: Readonly<Record<string, unknown>>;
  readonly queries: Set<string>;
  nextMessageId(): number;
  /** Unix time in seconds. */
  nowS(): number;
  tell(kind: string, content: unknown): void;
  /** The part of a message that is a file. */
  fileContent(kind: SentKind, file: FormFile): Readonly<Record<string, unknown>>;
}

/** A person with Telegram, in their private chat with one bot. */
export class FakePerson {
  readonly facts: PersonFacts;
  /** What the bot has sent, in its order. */
  readonly received: FakeMessage[] = [];
  /** The bot's reactions, by message. */
  readonly reactions = new Map<number, readonly string[]>();
  /** What the bot's messages answer, by their ids. */
  readonly quotes = new Map<number, number>();
  readonly #own: FakeMessage[] = [];
  /** How often the bot has shown that it types. */
  typingShown = 0;
  /** Once they have written, or pressed Start, the bot may write to them. */
  hasStarted = false;
  hasBlocked = false;
  readonly #bot: WrittenBot;

  constructor(bot: WrittenBot, facts: PersonFacts) {
    this.#bot = bot;
    this.facts = facts;
  }

  get chat(): Readonly<Record<string, unknown>> {
    return { ...this.facts, type: 'private' };
  }

  says(text: string): FakeMessage {
    return this.#write({ text });
  }

  /** Presses Start behind a deep link. */
  opens(startPayload: string): FakeMessage {
    const text = `/start ${startPayload}`;
    return this.#write({ text, entities: [{ type: 'bot_command', offset: 0, length: '/start'.length }] });
  }

  sends(kind: SentKind, file: FormFile, more: Readonly<Record<string, unknown>> = {}): FakeMessage {
    return this.#write({ ...this.#bot.fileContent(kind, file), ...more });
  }

  /** Several pictures at once. */
  sendsAlbum(files: readonly FormFile[], caption: string): FakeMessage[] {
    const album = { media_group_id: String(1e10 + Math.floor(Math.random() * 1e9)) };
    return files.map((file, index) =>
      this.sends('photo', file, { ...album, ...(index === 0 ? { caption } : {}) }),
    );
  }

  /** Whatever the message holds. */
  writes(content: Readonly<Record<string, unknown>>): FakeMessage {
    return this.#write(content);
  }

  /** Returns a message of the chat. */
  message(id: number): FakeMessage | undefined {
    return [...this.#own, ...this.received].find(({ message_id: each }) => each === id);
  }

  answers(answered: FakeMessage, text: string): FakeMessage {
    const { reply_to_message: _former, ...reply_to_message } = answered;
    return this.#write({ text, reply_to_message });
  }

  /** Presses a button below a message of the bot. */
  presses(message: FakeMessage, label: string): string {
    const { inline_keyboard: rows } = message.reply_markup as {
      inline_keyboard: { text: string; callback_data: string }[][];
    };
    const button = rows.flat().find(({ text }) => text === label);
    if (!button) throw new Error(`there is no button ${label}`);
    const id = `${Math.random()}`.slice(2);
    this.#bot.queries.add(id);
    const { callback_data: data } = button;
    this.#bot.tell('callback_query', { id, from: this.#asUser(), message, chat_instance: '1', data });
    return id;
  }

  reacts(messageId: number, before: readonly string[], now: readonly string[]): void {
    const types = (all: readonly string[]) => all.map((emoji) => ({ type: 'emoji', emoji }));
    this.#bot.tell('message_reaction', {
      chat: this.chat,
      message_id: messageId,
      user: this.#asUser(),
      date: this.#bot.nowS(),
      old_reaction: types(before),
      new_reaction: types(now),
    });
  }

  edits({ message_id: id, date, chat, from }: FakeMessage, text: string): void {
    const message = { message_id: id, date, chat, from, edit_date: this.#bot.nowS(), text };
    this.#bot.tell('edited_message', message);
  }

  blocks(): void {
    this.#setBlocked(true);
  }

  unblocks(): void {
    this.#setBlocked(false);
  }

  #setBlocked(isBlocked: boolean): void {
    const { user } = this.#bot;
    const member = (isGone: boolean) =>
      isGone ? { status: 'kicked', user, until_date: 0 } : { status: 'member', user };
    this.#bot.tell('my_chat_member', {
      chat: this.chat,
      from: this.#asUser(),
      date: this.#bot.nowS(),
      old_chat_member: member(this.hasBlocked),
      new_chat_member: member(isBlocked),
    });
    this.hasBlocked = isBlocked;
  }

  #write(content: Readonly<Record<string, unknown>>): FakeMessage {
    this.hasStarted = true;
    const message = {
      message_id: this.#bot.nextMessageId(),
      date: this.#bot.nowS(),
      chat: this.chat,
      from: this.#asUser(),
      ...content,
    };
    this.#own.push(message);
    this.#bot.tell('message', message);
    return message;
  }

  #asUser(): Readonly<Record<string, unknown>> {
    return { ...this.facts, is_bot: false, language_code: 'en' };
  }
}
