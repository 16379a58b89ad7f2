import type { FormFile } from '../multipart-form.ts';
import { ApiError, badRequest } from './api-error.ts';
import { FakeChat, type FakeMessage, type WrittenBot } from './fake-chat.ts';

export interface PersonFacts {
  readonly id: number;
  readonly first_name: string;
  readonly last_name?: string;
  readonly username?: string;
}

/** A message that a bot is writing. */
export interface FakeDraft {
  readonly id: number;
  readonly text: string;
  readonly entities: readonly unknown[];
  /** Unix time in milliseconds. */
  readonly atMs: number;
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

/** The bot of a private chat. */
interface PrivateBot extends WrittenBot {
  /** The part of a message that is a file. */
  fileContent(kind: SentKind, file: FormFile): Readonly<Record<string, unknown>>;
}

/** A person with Telegram, in their private chat with one bot. */
export class FakePerson extends FakeChat {
  readonly facts: PersonFacts;
  /** What the bot has shown of messages that it was writing. */
  readonly drafts: FakeDraft[] = [];
  /** Once they have written, or pressed Start, the bot may write to them. */
  hasStarted = false;
  hasBlocked = false;
  readonly #bot: PrivateBot;

  constructor(bot: PrivateBot, facts: PersonFacts) {
    super(bot);
    this.#bot = bot;
    this.facts = facts;
  }

  get id(): number {
    return this.facts.id;
  }

  get chat(): Readonly<Record<string, unknown>> {
    return { ...this.facts, type: 'private' };
  }

  nextMessageId(): number {
    return this.#bot.nextMessageId();
  }

  refusal(): ApiError | null {
    if (!this.hasStarted) return badRequest('chat not found');
    return this.hasBlocked ? new ApiError(403, 'Forbidden: bot was blocked by the user') : null;
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

  answers(answered: FakeMessage, text: string): FakeMessage {
    const { reply_to_message: _former, ...reply_to_message } = answered;
    return this.#write({ text, reply_to_message });
  }

  /** Presses a button below a message of the bot. */
  presses(message: FakeMessage, label: string): string {
    return this.pressed(this.#asUser(), message, label);
  }

  reacts(messageId: number, before: readonly string[], now: readonly string[]): void {
    this.reacted({ user: this.#asUser() }, messageId, [before, now]);
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
    const message = this.written(this.#asUser(), content);
    this.#bot.tell('message', message);
    return message;
  }

  #asUser(): Readonly<Record<string, unknown>> {
    return { ...this.facts, is_bot: false, language_code: 'en' };
  }
}
