import * as z from 'zod';
import { type Address, keyOfLogin, type LoginRef } from '../../base/address.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Clock } from '../../base/time.ts';
import type { Connector, Provides } from '../contract/connector.ts';
import type { LinkedBot, LinksToBots, LoginState } from '../contract/login.ts';
import type {
  FetchesFiles,
  Messenger,
  OutboundMessage,
  SendOutcome,
  ShowsTyping,
} from '../contract/messenger.ts';
import type { PlatformRecords } from '../contract/records.ts';
import {
  LOGIN_WEBHOOK,
  type TakesWebhooks,
  type WebhookReply,
  type WebhookRequest,
} from '../contract/webhooks.ts';
import { GivenIntake } from '../kit/given-intake.ts';
import { botRefused, HostedLogins, type TokenForm } from '../kit/hosted-logins.ts';
import type { PlatformFailure } from '../kit/platform-failure.ts';
import { checkTextLength } from '../kit/sending.ts';
import { BotApi, type BotApiUrls, failureOf } from './client.ts';
import { characters, MAX_TEXT_CHARACTERS, placeIn, sendMessage, TELEGRAM_REMEDIES } from './outbound.ts';
import { TelegramLogin } from './telegram-login.ts';
import type { TelegramObserver } from './update-receiver.ts';

const SECRET_HEADER = 'x-telegram-bot-api-secret-token';

/** https://core.telegram.org/bots/api#authorizing-your-bot */
const TELEGRAM_TOKEN: TokenForm = {
  pattern: /^[1-9]\d{0,19}:[\w-]{30,128}$/,
  hint: 'This is not a Telegram bot token. A token is a number, a colon and 35 letters, digits, - and _, such as 123456789:AAF…; @BotFather shows it (/mybots, then API Token).',
};

const NO_LOGIN: WebhookReply = { status: 404, text: 'No such login' };

const TYPING_DEADLINE_MS = 4_000;

export interface TelegramOptions {
  readonly urls: BotApiUrls;
  /** Token of the bot shared by all accounts; null when there is none. */
  readonly sharedToken: string | null;
  /** Public base URL of the gateway's webhooks, without a trailing slash; null to poll for updates. */
  readonly webhookRoot: (() => string) | null;
}

export interface TelegramDeps extends TelegramOptions {
  readonly clock: Clock;
  readonly observer: TelegramObserver;
  readonly records: PlatformRecords;
}

/** Telegram over its Bot API, with any number of independent bots. */
export class TelegramConnector
  implements Connector, Messenger, ShowsTyping, FetchesFiles, TakesWebhooks, LinksToBots
{
  readonly platform = 'telegram' as const;
  readonly remedies = TELEGRAM_REMEDIES;
  readonly provides: Provides;
  readonly typing: ShowsTyping = this;
  readonly files: FetchesFiles = this;
  readonly carriesToken = true;
  readonly linkHint = 'Opens the bot in Telegram, where the person presses Start';
  /** Telegram shows the indicator for at most five seconds. */
  readonly typingRepeatMs = 4_000;
  readonly endpoints = [{ path: LOGIN_WEBHOOK, methods: ['post'], answers: 'text' }] as const;
  readonly headers = [SECRET_HEADER];
  readonly #deps: TelegramDeps;
  readonly #logins: HostedLogins<TelegramLogin>;
  readonly #intake = new GivenIntake();
  readonly onMessages = this.#intake.give;

  constructor(deps: TelegramDeps) {
    this.#deps = deps;
    this.#logins = new HostedLogins({
      form: TELEGRAM_TOKEN,
      open: ({ id, token }, onState) => this.#open({ kind: 'bot_token', id }, token, onState),
      failureOf: failureOf,
      follow: (login) => login.follow(),
      removed: async (key) => await deps.records.delete(key),
    });
    const logins = this.#logins;
    this.provides = { messenger: this, webhooks: this, sharedLogin: logins, bots: logins, deepLinks: this };
  }

  /** Starts receiving for the shared bot. An unreachable Telegram only shows in the bot's state. */
  async start(): Promise<void> {
    const { sharedToken, observer } = this.#deps;
    if (sharedToken === null) return;
    const onState = ({ status }: LoginState) =>
      observer.log('info', 'shared Telegram bot changed state', { status });
    this.#open({ kind: 'shared' }, sharedToken, onState).follow();
  }

  async close(): Promise<void> {
    await this.#logins.close();
  }

  /** https://core.telegram.org/bots/features#deep-linking */
  botLink({ name }: LinkedBot, token: string | null): string {
    const address = `https://t.me/${name.replace(/^@/, '')}`;
    return token === null ? address : `${address}?start=${token}`;
  }

  checkText(text: string): void {
    checkTextLength('Telegram', characters(text), MAX_TEXT_CHARACTERS);
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    const login = this.#logins.of(message.to.login);
    if (!login) return { kind: 'refused', reason: 'The bot is not logged in', isAddressGone: false };
    const { api } = login;
    const chat = {
      api,
      clock: this.#deps.clock,
      chatId: message.to.space.id,
      thread: message.to.thread,
      signal,
      loggedOut: (failure: PlatformFailure) => login.heard(failure),
    };
    const outcome = await sendMessage(chat, message);
    if (outcome.kind === 'later') this.#deps.observer.count('throttled');
    return outcome;
  }

  async showTyping({ login, space, thread }: Address, signal: AbortSignal): Promise<void> {
    const parameters = { ...placeIn(space.id, thread), action: 'typing' };
    const options = { deadlineMs: TYPING_DEADLINE_MS, signal };
    await this.#logins
      .of(login)
      ?.api.call('sendChatAction', parameters, options, z.unknown())
      .catch(() => undefined);
  }

  async fetchFile(login: LoginRef, ref: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const api = this.#logins.of(login)?.api;
    if (!api) throw new GatewayError('file_gone');
    return await api.openFile(ref, signal);
  }

  refuses({ loginKey, header }: Pick<WebhookRequest, 'loginKey' | 'header'>): WebhookReply | null {
    const login = this.#logins.get(loginKey);
    return login ? login.refusesWebhook(header(SECRET_HEADER)) : NO_LOGIN;
  }

  async webhook(request: WebhookRequest): Promise<WebhookReply> {
    const login = this.#logins.get(request.loginKey);
    return login ? await login.takeWebhook(request.header(SECRET_HEADER), request.body) : NO_LOGIN;
  }

  #open(ref: LoginRef, token: string, onState: (state: LoginState) => void): TelegramLogin {
    const { urls, webhookRoot, clock } = this.#deps;
    const key = keyOfLogin(ref);
    const api = apiOf(urls, token, clock);
    if (ref.kind !== 'shared' && this.#logins.all.some((other) => other.api.botId === api.botId))
      throw new GatewayError('bot_token_taken');
    const login = new TelegramLogin({
      ...this.#deps,
      ref,
      api,
      intake: this.#intake.get(),
      key,
      webhookUrl: webhookRoot && (() => `${webhookRoot()}/${key}`),
      webhookSeed: token,
      onState,
    });
    this.#logins.put(key, login);
    return login;
  }
}

function apiOf(urls: BotApiUrls, token: string, clock: Clock): BotApi {
  try {
    return new BotApi(urls, token, clock);
  } catch (error) {
    throw botRefused(failureOf(error));
  }
}
