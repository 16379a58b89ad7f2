import { randomUUID } from 'node:crypto';
import { LoopbackWorld, type RegisteredBot } from '../../loopback/loopback-world.ts';
import { PLATFORM } from '../../loopback/platform.ts';
import type { Account } from '../../loopback/server/accounts.ts';
import type { LoopbackVendor } from '../../loopback/server/loopback-vendor.ts';
import type { Message, Space } from '../../loopback/server/space.ts';
import type { Gateway, GatewayOptions } from '../../support/gateway.ts';
import { SEEN_ON } from '../../support/seen/platform-readers.ts';
import type { Seen } from '../../support/seen/seen.ts';
import { loopbackConnector } from '../calls/loopback-calls-under-test.ts';
import {
  type ChannelUnderTest,
  type Delivery,
  GATEWAY_ENV,
  type LoginUnderTest,
  type MessengerUnderTest,
  type PersonUnderTest,
  type PlatformFaults,
  type ReceivedMessage,
  type TestFile,
  type WebhookUnderTest,
  type WrittenMessage,
} from './messenger-under-test.ts';

export interface LoopbackMessengerOptions {
  readonly patienceMs: number;
  readonly gateway?: GatewayOptions;
}

/** Direct messages of the loopback platform, with one bot of the operator's account. */
export class LoopbackMessengerUnderTest implements MessengerUnderTest {
  readonly connector = loopbackConnector();
  readonly textLimit = 2_000;
  readonly canEdit = true;
  readonly canBlock = true;
  readonly gateway: Gateway;
  readonly login: LoginUnderTest;
  readonly webhook: WebhookUnderTest;
  patienceMs: number;
  readonly #world: LoopbackWorld;
  readonly #bot: RegisteredBot;
  #people = 0;

  private constructor(world: LoopbackWorld, bot: RegisteredBot, patienceMs: number) {
    this.#world = world;
    this.#bot = bot;
    this.gateway = world.gateway;
    this.login = new LoopbackBotLogin(world.vendor, bot.account);
    this.webhook = new LoopbackBotWebhook(world, bot);
    this.patienceMs = patienceMs;
  }

  static async start({
    patienceMs,
    gateway: { env, ...others } = {},
  }: LoopbackMessengerOptions): Promise<LoopbackMessengerUnderTest> {
    const world = await LoopbackWorld.start({ ...others, env: { ...GATEWAY_ENV, ...env } });
    return new LoopbackMessengerUnderTest(world, await world.bot('Attendant'), patienceMs);
  }

  async person(): Promise<PersonUnderTest> {
    this.#people++;
    const { vendor } = this.#world;
    return new LoopbackPerson(vendor, vendor.accounts.person(`Person ${this.#people}`), this.#bot.account);
  }

  channel(): ChannelUnderTest {
    this.#people++;
    const { vendor } = this.#world;
    return new LoopbackChannel(vendor, vendor.accounts.person(`Person ${this.#people}`), this.#bot.account);
  }

  readonly faults: PlatformFaults = {
    refuse: () => {
      const words = 'The conformance suite says no';
      this.#world.vendor.faults.refuse(words);
      return words;
    },
    throttle: () => {
      this.#world.vendor.faults.throttle(1, 1);
      return 1_000;
    },
    loseAnswer: () => void this.#world.vendor.faults.leave('cut', true),
    hold: (isDone) => this.#world.vendor.faults.leave('held', isDone),
  };

  async stop(): Promise<void> {
    await this.#world.stop();
  }
}

class LoopbackChannel implements ChannelUnderTest {
  readonly #space: Space;
  readonly #member: Account;
  readonly #bot: Account;

  constructor(vendor: LoopbackVendor, member: Account, bot: Account) {
    this.#space = vendor.channel(`Channel of ${member.name}`, member, bot);
    this.#member = member;
    this.#bot = bot;
  }

  get id(): string {
    return this.#space.id;
  }

  get name(): string {
    return this.#space.name;
  }

  get memberName(): string {
    return this.#member.name;
  }

  writes(text: string, thread: string | null = null): string {
    return this.#space.write(this.#member, { text, thread }).id;
  }

  received(): readonly { readonly text: string; readonly thread: string | null }[] {
    return this.#space.messages
      .filter(({ author }) => author.id === this.#bot.id)
      .map(({ text, thread }) => ({ text, thread }));
  }
}

class LoopbackBotLogin implements LoginUnderTest {
  readonly recheckMs = 5_000;
  isDead = false;
  readonly #vendor: LoopbackVendor;
  readonly #bot: Account;

  constructor(vendor: LoopbackVendor, bot: Account) {
    this.#vendor = vendor;
    this.#bot = bot;
  }

  kill(): string {
    this.isDead = true;
    this.#vendor.accounts.revokeBot(this.#bot.id);
    return 'The token is invalid';
  }

  revive(): void {
    this.isDead = false;
    this.#vendor.accounts.restoreBot(this.#bot.id);
  }
}

/** The vendor signs a random text and the bytes of the body. */
class LoopbackBotWebhook implements WebhookUnderTest {
  readonly url: string;
  readonly #vendor: LoopbackVendor;
  readonly #bot: Account;

  constructor({ vendor, gateway }: LoopbackWorld, { account, id }: RegisteredBot) {
    this.url = `${gateway.baseUrl}/api/${PLATFORM}/webhook/${id}`;
    this.#vendor = vendor;
    this.#bot = account;
  }

  delivery({ remoteId: id, name }: PersonUnderTest, text: string): Delivery {
    const space = { id: randomUUID(), kind: 'direct', name };
    const sent_at = new Date().toISOString();
    const message = { id: randomUUID(), space, thread: null, author: { id, name }, text, files: [], sent_at };
    return this.signed(JSON.stringify({ type: 'message', message }));
  }

  signed(body: string): Delivery {
    return { body, headers: this.#vendor.webhookOf(this.#bot).headersOf(body) };
  }

  forged({ body, headers }: Delivery): Delivery {
    return { body, headers: { ...headers, 'x-loopback-signature': '0'.repeat(64) } };
  }
}

/** A person in a direct conversation with the bot. */
class LoopbackPerson implements PersonUnderTest {
  readonly #vendor: LoopbackVendor;
  readonly #account: Account;
  readonly #bot: Account;
  readonly #space: Space;
  readonly #written = new Map<WrittenMessage, Message>();

  constructor(vendor: LoopbackVendor, account: Account, bot: Account) {
    this.#vendor = vendor;
    this.#account = account;
    this.#bot = bot;
    this.#space = vendor.direct(account, bot);
  }

  get remoteId(): string {
    return this.#account.id;
  }

  get name(): string {
    return this.#account.name;
  }

  writes(text: string): WrittenMessage {
    return this.#wrote(this.#space.write(this.#account, { text }));
  }

  sendsFile({ name, mime, bytes }: TestFile, caption: string): WrittenMessage {
    const files = [this.#vendor.files.keep(name, mime, bytes)];
    return this.#wrote(this.#space.write(this.#account, { text: caption, files }));
  }

  repeats(message: WrittenMessage): void {
    const told = { type: 'message', message: this.#written.get(message)! } as const;
    this.#vendor.webhookOf(this.#bot).send(told, () => {});
  }

  edits(message: WrittenMessage, text: string): void {
    this.#space.edit(this.#account, message.platformMessageId, text);
  }

  received(): readonly ReceivedMessage[] {
    return this.#space.messages
      .filter(({ author }) => author.id === this.#bot.id)
      .flatMap(({ id, text, files, answers }) => {
        const [first, ...others] = files.map(({ id: file }) => this.#vendor.files.get(file).bytes);
        const more = others.map((file) => ({ platformMessageId: id, text: '', file }));
        return [{ platformMessageId: id, text, file: first ?? null, quotes: answers?.id ?? null }, ...more];
      });
  }

  /** It shows what was written to whoever reads Markdown. */
  sees(id: string): Seen {
    return SEEN_ON.commonMark(this.#space.messages.find((each) => each.id === id)!.text);
  }

  answers(answers: string, text: string): WrittenMessage {
    return this.#wrote(this.#space.write(this.#account, { text, answers }));
  }

  presses(answers: string, label: string): void {
    const { buttons } = this.#space.messages.find(({ id }) => id === answers)!;
    if (!buttons.includes(label)) throw new Error(`there is no button ${label}`);
    this.#space.write(this.#account, { text: label, answers, pressed: label });
  }

  reacts(id: string, isAdded: boolean): void {
    this.#space.react(this.#account, id, '👍', isAdded);
  }

  reactionsTo(id: string): readonly string[] {
    const all = [...(this.#space.reactions.get(id) ?? [])];
    return all.filter((each) => each.startsWith(this.#bot.name)).map((each) => each.split(' ').at(-1)!);
  }

  typingShown(): number {
    return this.#space.typing.length;
  }

  blocks(): void {
    this.#space.isGone = true;
  }

  unblocks(): void {
    this.#space.isGone = false;
  }

  #wrote(message: Message): WrittenMessage {
    const webhook = this.#vendor.webhookOf(this.#bot);
    const isAcknowledged = (): boolean => webhook.pendingIn(this.#space.id) === 0;
    const written = { platformMessageId: message.id, isAcknowledged };
    this.#written.set(written, message);
    return written;
  }
}
