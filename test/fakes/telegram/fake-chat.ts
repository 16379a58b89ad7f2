import type { ApiError } from './api-error.ts';

/** A message in the words of the API. */
export interface FakeMessage {
  readonly message_id: number;
  readonly date: number;
  readonly text?: string;
  readonly caption?: string;
  readonly media_group_id?: string;
  readonly [field: string]: unknown;
}

/** The parts of a bot that those who write to it use. */
export interface WrittenBot {
  readonly id: number;
  readonly username: string;
  readonly user: Readonly<Record<string, unknown>>;
  readonly queries: Set<string>;
  nextMessageId(): number;
  /** Unix time in seconds. */
  nowS(): number;
  tell(kind: string, content: unknown): void;
}

/** A chat that one bot is in. */
export abstract class FakeChat {
  /** What the bot has sent, in its order. */
  readonly received: FakeMessage[] = [];
  /** The bot's reactions, by message. */
  readonly reactions = new Map<number, readonly string[]>();
  /** What the bot's messages answer, by their ids. */
  readonly quotes = new Map<number, number>();
  /** How often the bot has shown that it types. */
  typingShown = 0;
  readonly bot: WrittenBot;
  readonly #own: FakeMessage[] = [];

  constructor(bot: WrittenBot) {
    this.bot = bot;
  }

  abstract get id(): number;
  abstract get chat(): Readonly<Record<string, unknown>>;
  abstract nextMessageId(): number;
  /** Why the bot may not write; null: it may. `topic`: where; undefined: in none. */
  abstract refusal(topic: number | undefined): ApiError | null;

  /** Returns a message of the chat. */
  message(id: number): FakeMessage | undefined {
    return [...this.#own, ...this.received].find(({ message_id: each }) => each === id);
  }

  protected forgets(id: number): void {
    this.#own.splice(
      this.#own.findIndex(({ message_id: each }) => each === id),
      1,
    );
  }

  /** The button of a message of the bot, pressed by somebody. Returns the id of the press. */
  protected pressed(from: object, message: FakeMessage, label: string): string {
    const { inline_keyboard: rows } = message.reply_markup as {
      inline_keyboard: { text: string; callback_data: string }[][];
    };
    const button = rows.flat().find(({ text }) => text === label);
    if (!button) throw new Error(`there is no button ${label}`);
    const id = `${Math.random()}`.slice(2);
    this.bot.queries.add(id);
    const { callback_data: data } = button;
    this.bot.tell('callback_query', { id, from, message, chat_instance: '1', data });
    return id;
  }

  protected reacted(
    actor: object,
    messageId: number,
    [before, now]: readonly [readonly string[], readonly string[]],
  ): void {
    const types = (all: readonly string[]) => all.map((emoji) => ({ type: 'emoji', emoji }));
    this.bot.tell('message_reaction', {
      chat: this.chat,
      message_id: messageId,
      ...actor,
      date: this.bot.nowS(),
      old_reaction: types(before),
      new_reaction: types(now),
    });
  }

  /** Makes a message of somebody. */
  protected written(from: object, content: Readonly<Record<string, unknown>>): FakeMessage {
    const message = {
      message_id: this.nextMessageId(),
      date: this.bot.nowS(),
      chat: this.chat,
      from,
      ...content,
    };
    this.#own.push(message);
    return message;
  }
}
