import { ReadingTime } from '../../../src/base/reading-time.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import { telegramConnector } from '../../../src/connectors/telegram/telegram-connector.ts';
import type { FakeBot } from '../../fakes/telegram/fake-bot.ts';
import type { FakeMessage } from '../../fakes/telegram/fake-chat.ts';
import type { FakePerson } from '../../fakes/telegram/fake-person.ts';
import { FakeTelegram } from '../../fakes/telegram/fake-telegram.ts';
import { Gateway, type GatewayOptions } from '../../support/gateway.ts';
import { MemoryRecords } from '../../support/memory-records.ts';
import { SEEN_ON, type TelegramText } from '../../support/seen/platform-readers.ts';
import type { Seen } from '../../support/seen/seen.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  type ChannelUnderTest,
  type Delivery,
  GATEWAY_ENV,
  type LoginUnderTest,
  type MessengerUnderTest,
  type PayloadsUnderTest,
  type PersonUnderTest,
  type PlatformFaults,
  type ReceivedMessage,
  type TestFile,
  type WebhookUnderTest,
  type WrittenMessage,
} from './messenger-under-test.ts';
import { TELEGRAM_KINDS } from './payloads/telegram-payloads.ts';
import { TelegramForum } from './telegram-forum-under-test.ts';

const SECRET_HEADER = 'x-telegram-bot-api-secret-token';
const FIRST_PERSON_ID = 5_000;

/** A connector to read declarations from. */
export function declaredTelegram(): Connector {
  return telegramConnector({
    urls: { api: '', files: '' },
    sharedToken: null,
    webhookRoot: null,
    clock: systemClock,
    observer: { count: () => undefined, log: () => undefined },
    records: new MemoryRecords(),
    readingTime: new ReadingTime(systemClock),
  });
}

/** Telegram, with one bot of the operator's account. */
export class TelegramUnderTest implements MessengerUnderTest {
  readonly connector: Connector;
  patienceMs: number;
  readonly textLimit = 4_096;
  readonly canEdit = true;
  readonly canBlock = true;
  readonly gateway: Gateway;
  readonly webhook?: WebhookUnderTest;
  readonly #telegram: FakeTelegram;
  readonly #bot: FakeBot;
  #people = 0;

  private constructor(
    gateway: Gateway,
    telegram: FakeTelegram,
    bot: FakeBot,
    { patienceMs, updates, connector = declaredTelegram() }: TelegramOptions,
  ) {
    this.connector = connector;
    this.gateway = gateway;
    this.#telegram = telegram;
    this.#bot = bot;
    this.patienceMs = patienceMs;
    this.login = new BotLogin(telegram, bot);
    if (updates === 'webhook') this.webhook = new BotWebhook(bot);
  }

  static async start(options: TelegramOptions): Promise<TelegramUnderTest> {
    const telegram = await FakeTelegram.start({ takesHttpWebhooks: true, webhookRetryMs: 20 });
    const bot = telegram.addBot('conformance_bot');
    const { env, ...others } = options.gateway ?? {};
    const gateway = await Gateway.start({
      ...others,
      env: {
        ...GATEWAY_ENV,
        SVC_TELEGRAM_API_URL: telegram.url,
        SVC_TELEGRAM_UPDATES: options.updates,
        ...env,
      },
    });
    gateway.secrets.add(bot.token);
    const request = { platform: 'telegram', bot_token: bot.token };
    const { status, body } = await gateway.settingsApi.post('/api/bot-tokens', request);
    if (status !== 200) throw new Error(`POST bot-tokens: ${status} ${JSON.stringify(body)}`);
    if (options.updates === 'webhook') await waitFor('the webhook', () => bot.webhook);
    return new TelegramUnderTest(gateway, telegram, bot, options);
  }

  async person(): Promise<PersonUnderTest> {
    this.#people++;
    const facts = { id: FIRST_PERSON_ID + this.#people, first_name: `Person ${this.#people}` };
    return new TelegramPerson(this.#bot, this.#bot.person(facts));
  }

  channel(): ChannelUnderTest {
    return new TelegramForum(this.#bot);
  }

  readonly faults: PlatformFaults = {
    refuse: () => {
      const description = 'Bad Request: the conformance suite says no';
      this.#telegram.fail('sendMessage', { kind: 'refuse', status: 400, description });
      return description;
    },
    throttle: () => {
      this.#telegram.fail('sendMessage', { kind: 'throttle', retryAfterS: 1 });
      return 1_000;
    },
    loseAnswer: () => this.#telegram.fail('sendMessage', { kind: 'drop', isDone: true }),
    hold: (isDone) =>
      new Promise((reached) => this.#telegram.fail('sendMessage', { kind: 'hang', isDone, reached })),
  };

  readonly login: LoginUnderTest;

  readonly payloads: PayloadsUnderTest = {
    kinds: TELEGRAM_KINDS,
    deliver: ({ remoteId }, payload) =>
      void this.#bot.person({ id: Number(remoteId), first_name: '' }).writes(payload),
    overtakes: {
      tellsDeletions: false,
      deliver: ({ remoteId }, text, change) => {
        const person = { id: Number(remoteId), first_name: 'Ada' };
        const message = {
          message_id: this.#bot.nextMessageId(),
          date: this.#bot.nowS(),
          chat: { ...person, type: 'private' },
          from: { ...person, is_bot: false },
        };
        this.#bot.tell('edited_message', { ...message, edit_date: message.date, text: change });
        const tell = () => this.#bot.tell('message', { ...message, text });
        tell();
        return tell;
      },
    },
  };

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.#telegram.stop();
    const { offences } = this.#telegram;
    if (offences.length > 0) throw new Error(`refused by the fake: ${offences.join('; ')}`);
  }
}

export interface TelegramOptions {
  readonly updates: 'polling' | 'webhook';
  readonly patienceMs: number;
  readonly gateway?: GatewayOptions;
  /** Absent: one as the gateway has it. */
  readonly connector?: Connector;
}

class BotLogin implements LoginUnderTest {
  readonly recheckMs = 300_000;
  readonly #telegram: FakeTelegram;
  readonly #bot: FakeBot;

  constructor(telegram: FakeTelegram, bot: FakeBot) {
    this.#telegram = telegram;
    this.#bot = bot;
  }

  get isDead(): boolean {
    return !this.#telegram.bots.includes(this.#bot);
  }

  kill(): string {
    this.#telegram.revoke(this.#bot);
    return 'Unauthorized';
  }

  revive(): void {
    this.#telegram.restore(this.#bot);
  }
}

class TelegramPerson implements PersonUnderTest {
  readonly remoteId: string;
  readonly name: string;
  readonly #bot: FakeBot;
  readonly #person: FakePerson;
  readonly #written = new Map<WrittenMessage, FakeMessage>();

  constructor(bot: FakeBot, person: FakePerson) {
    this.#bot = bot;
    this.#person = person;
    this.remoteId = `${person.facts.id}`;
    this.name = person.facts.first_name;
  }

  writes(text: string): WrittenMessage {
    return this.#wrote(this.#person.says(text));
  }

  sendsFile(file: TestFile, caption: string): WrittenMessage {
    return this.#wrote(this.#person.sends('document', file, { caption }));
  }

  repeats(message: WrittenMessage): void {
    this.#bot.tell('message', this.#written.get(message)!);
  }

  edits(message: WrittenMessage, text: string): void {
    this.#person.edits(this.#written.get(message)!, text);
  }

  received(): readonly ReceivedMessage[] {
    return this.#person.received.map(({ message_id, text, caption, document }) => ({
      platformMessageId: `${message_id}`,
      text: text ?? caption ?? '',
      file: document === undefined ? null : this.#bytesOf(document as { file_id: string }),
      quotes: this.#person.quotes.get(message_id)?.toString() ?? null,
    }));
  }

  sees(id: string): Seen {
    return SEEN_ON.telegram(this.#message(id) as TelegramText);
  }

  #message(id: string): FakeMessage {
    return this.#person.received.find(({ message_id: each }) => `${each}` === id)!;
  }

  answers(id: string, text: string): WrittenMessage {
    return this.#wrote(this.#person.answers(this.#message(id), text));
  }

  presses(id: string, label: string): void {
    this.#person.presses(this.#message(id), label);
  }

  reacts(id: string, isAdded: boolean): void {
    this.#person.reacts(Number(id), isAdded ? [] : ['👍'], isAdded ? ['👍'] : []);
  }

  reactionsTo(id: string): readonly string[] {
    return this.#person.reactions.get(Number(id)) ?? [];
  }

  typingShown(): number {
    return this.#person.typingShown;
  }

  blocks(): void {
    this.#person.blocks();
  }

  unblocks(): void {
    this.#person.unblocks();
  }

  #wrote(message: FakeMessage): WrittenMessage {
    const update = this.#bot.updates.pending.at(-1)!;
    const written = {
      platformMessageId: `${message.message_id}`,
      isAcknowledged: () => !this.#bot.updates.pending.includes(update),
    };
    this.#written.set(written, message);
    return written;
  }

  #bytesOf({ file_id }: { readonly file_id: string }): Buffer {
    return this.#bot.files.at(this.#bot.files.prepare(file_id).file_path)!;
  }
}

/** Telegram authenticates webhooks by a secret in a header. */
class BotWebhook implements WebhookUnderTest {
  readonly #bot: FakeBot;
  #updateId = 900_000;

  constructor(bot: FakeBot) {
    this.#bot = bot;
  }

  get url(): string {
    return this.#bot.webhook!.target.url;
  }

  delivery({ remoteId, name }: PersonUnderTest, text: string): Delivery {
    const person = { id: Number(remoteId), first_name: name };
    const message = {
      message_id: this.#bot.nextMessageId(),
      date: this.#bot.nowS(),
      chat: { ...person, type: 'private' },
      from: { ...person, is_bot: false },
      text,
    };
    this.#updateId++;
    return this.signed(JSON.stringify({ update_id: this.#updateId, message }));
  }

  signed(body: string): Delivery {
    return { body, headers: { [SECRET_HEADER]: this.#bot.webhook!.target.secretToken! } };
  }

  forged({ body }: Delivery): Delivery {
    return { body, headers: { [SECRET_HEADER]: 'x'.repeat(43) } };
  }
}
