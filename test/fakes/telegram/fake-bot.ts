import { randomBytes } from 'node:crypto';
import type { FormFile } from '../multipart-form.ts';
import { badRequest } from './api-error.ts';
import type { FakeChat, FakeMessage } from './fake-chat.ts';
import { FakeGroup, type GroupFacts } from './fake-group.ts';
import { FakePerson, type PersonFacts, type SentKind } from './fake-person.ts';
import type { SendLimits } from './send-limits.ts';
import { StoredFiles } from './stored-files.ts';
import { UpdateQueue } from './update-queue.ts';
import { Webhook, type WebhookTarget } from './webhook.ts';

/** Updates that a bot gets only on request. */
const NOT_BY_DEFAULT = new Set(['chat_member', 'message_reaction', 'message_reaction_count']);

export interface BotFacts {
  readonly token: string;
  readonly username: string;
  /** Between two tries to bring an update. */
  readonly webhookRetryMs: number;
}

/** One bot: its identity, its contacts, and its pending updates. */
export class FakeBot {
  readonly token: string;
  readonly username: string;
  readonly updates = new UpdateQueue();
  readonly files = new StoredFiles();
  /** Presses that have not been answered yet. */
  readonly queries = new Set<string>();
  webhook: Webhook | null = null;
  /** Null: the bot may send as often as it likes. */
  limits: SendLimits | null = null;
  readonly #webhookRetryMs: number;
  readonly #people = new Map<number, FakePerson>();
  readonly #groups = new Map<number, FakeGroup>();
  #allowed: ReadonlySet<string> | null = null;
  #lastMessageId = 0;

  constructor({ token, username, webhookRetryMs }: BotFacts) {
    this.token = token;
    this.username = username;
    this.#webhookRetryMs = webhookRetryMs;
  }

  /** The id stands before the colon of the token. */
  get id(): number {
    return Number(this.token.slice(0, this.token.indexOf(':')));
  }

  get user(): Readonly<Record<string, unknown>> {
    return { id: this.id, is_bot: true, first_name: this.username, username: this.username };
  }

  /** The person with this id, known before or not. */
  person(facts: PersonFacts = { id: newPersonId(), first_name: 'Ada', last_name: 'Lovelace' }): FakePerson {
    const known = this.#people.get(facts.id) ?? new FakePerson(this, facts);
    this.#people.set(facts.id, known);
    return known;
  }

  /** A new group with the bot in it. */
  group(facts: GroupFacts): FakeGroup {
    const group = new FakeGroup(this, 4_000_000 + this.#groups.size, facts);
    this.#groups.set(group.id, group);
    return group;
  }

  /** Where a message goes; throws as Telegram does when the bot cannot write there. */
  chatOf(chatId: unknown, topic: number | undefined): FakeChat {
    const chat = this.groupOf(chatId) ?? this.#people.get(Number(chatId));
    const refusal = chat ? chat.refusal(topic) : badRequest('chat not found');
    if (refusal) throw refusal;
    return chat!;
  }

  groupOf(chatId: unknown): FakeGroup | undefined {
    return this.#groups.get(Number(chatId));
  }

  tell(kind: string, content: unknown): void {
    const isWanted = this.#allowed?.has(kind) ?? !NOT_BY_DEFAULT.has(kind);
    if (!isWanted) return;
    this.updates.add(kind, content);
    this.webhook?.wake();
  }

  /** Null leaves it as it was, none at all means the usual ones. */
  allow(kinds: readonly string[] | undefined): void {
    if (kinds === undefined) return;
    this.#allowed = kinds.length === 0 ? null : new Set(kinds);
  }

  setWebhook(target: WebhookTarget | null): void {
    this.webhook?.close();
    this.webhook = target && new Webhook(target, this.updates, this.#webhookRetryMs);
    this.webhook?.wake();
  }

  /** The part of a message that is a file. */
  fileContent(kind: SentKind, file: FormFile): Readonly<Record<string, unknown>> {
    const facts = this.files.keep(file);
    const size = { width: 640, height: 480 };
    const named = { file_name: file.name, mime_type: file.mime };
    switch (kind) {
      case 'photo': {
        const small = this.files.keep({ ...file, bytes: file.bytes.subarray(0, 100) });
        return {
          photo: [
            { ...small, width: 90, height: 67 },
            { ...facts, ...size },
          ],
        };
      }
      case 'document':
        return { document: { ...facts, ...named } };
      case 'voice':
        return { voice: { ...facts, duration: 1, mime_type: file.mime } };
      case 'audio':
        return { audio: { ...facts, ...named, duration: 1 } };
      case 'video':
        return { video: { ...facts, ...named, ...size, duration: 1 } };
      case 'video_note':
        return { video_note: { ...facts, length: 240, duration: 1 } };
      case 'animation': {
        const animation = { ...facts, ...named };
        return { animation: { ...animation, ...size, duration: 1 }, document: animation };
      }
      case 'sticker': {
        const kindOfSticker = { type: 'regular', is_animated: false, is_video: false, emoji: '👍' };
        return { sticker: { ...facts, ...size, ...kindOfSticker } };
      }
    }
  }

  /** Shows a message of the bot to its readers and returns it as the API does. */
  deliver(reader: FakeChat, content: Readonly<Record<string, unknown>>): FakeMessage {
    const message = {
      message_id: reader.nextMessageId(),
      date: this.nowS(),
      chat: reader.chat,
      from: this.user,
      ...content,
    };
    reader.received.push(message);
    return message;
  }

  nextMessageId(): number {
    this.#lastMessageId += 1;
    return this.#lastMessageId;
  }

  nowS(): number {
    return Math.floor(Date.now() / 1_000);
  }

  close(): void {
    this.webhook?.close();
  }
}

/** As BotFather makes them. */
export function newToken(): string {
  const id = 1_000_000_000 + Math.floor(Math.random() * 1_000_000_000);
  return `${id}:AA${randomBytes(25).toString('base64url')}`.slice(0, 46);
}

function newPersonId(): number {
  return 100_000_000 + Math.floor(Math.random() * 800_000_000);
}
