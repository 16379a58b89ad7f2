import * as z from 'zod';
import { assert } from '../../base/assert.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Clock } from '../../base/time.ts';
import type { Address } from '../contract/address.ts';
import type { Connector, Provides } from '../contract/connector.ts';
import {
  type HostedBot,
  type HostsBots,
  keyOfLogin,
  type LinkedBot,
  type LinksToBots,
  type LoginNotes,
  type LoginRef,
  type LoginState,
  SHARED_LOGIN,
  type SharesLogin,
} from '../contract/login.ts';
import type {
  FetchesFiles,
  MessageIntake,
  Messenger,
  OutboundMessage,
  SendOutcome,
  ShowsTyping,
} from '../contract/messenger.ts';
import {
  LOGIN_WEBHOOK,
  type TakesWebhooks,
  type WebhookReply,
  type WebhookRequest,
} from '../contract/webhooks.ts';
import { checkTextLength } from '../kit/text-limit.ts';
import { requireForm } from '../kit/token-form.ts';
import { BotApi, type BotApiUrls } from './bot-api.ts';
import { type BotApiFailure, failureOf } from './bot-api-failure.ts';
import { PreparedFile } from './bot-api-types.ts';
import { BotLogin } from './bot-login.ts';
import { characters, MAX_TEXT_CHARACTERS, partsOf, sendParts, TELEGRAM_REMEDIES } from './outbound.ts';
import { TELEGRAM_TOKEN } from './token-form.ts';
import type { TelegramObserver } from './update-receiver.ts';

const SHARED: LoginRef = { kind: 'shared' };
const SECRET_HEADER = 'x-telegram-bot-api-secret-token';

const NO_LOGIN: WebhookReply = { status: 404, text: 'No such login' };

const TYPING_DEADLINE_MS = 4_000;
const PREPARE_DEADLINE_MS = 20_000;

export interface TelegramOptions {
  readonly urls: BotApiUrls;
  /** Token of the bot shared by all accounts; null when there is none. */
  readonly sharedToken: string | null;
  /** Public base URL of the gateway's webhooks, without a trailing slash; null to poll for updates. */
  readonly webhookRoot: (() => string) | null;
}

/** Telegram over its Bot API, with any number of independent bots. */
export class TelegramConnector
  implements
    Connector,
    Messenger,
    ShowsTyping,
    FetchesFiles,
    TakesWebhooks,
    SharesLogin,
    HostsBots,
    LinksToBots
{
  readonly platform = 'telegram' as const;
  readonly remedies = TELEGRAM_REMEDIES;
  readonly provides: Provides = {
    messenger: this,
    webhooks: this,
    sharedLogin: this,
    bots: this,
    deepLinks: this,
  };
  readonly typing: ShowsTyping = this;
  readonly files: FetchesFiles = this;
  readonly carriesToken = true;
  readonly linkHint = 'Opens the bot in Telegram, where the person presses Start';
  /** Telegram shows the indicator for at most five seconds. */
  readonly typingRepeatMs = 4_000;
  readonly endpoints = [{ path: LOGIN_WEBHOOK, methods: ['post'], answers: 'text' }] as const;
  readonly headers = [SECRET_HEADER];
  readonly #options: TelegramOptions;
  readonly #clock: Clock;
  readonly #observer: TelegramObserver;
  readonly #notes: LoginNotes;
  /** By `keyOfLogin`. */
  readonly #logins = new Map<string, BotLogin>();
  #intake: MessageIntake | null = null;
  #onBotState: (botId: string, state: LoginState) => void = () => undefined;

  constructor(options: TelegramOptions, clock: Clock, observer: TelegramObserver, notes: LoginNotes) {
    this.#options = options;
    this.#clock = clock;
    this.#observer = observer;
    this.#notes = notes;
  }

  onMessages(intake: MessageIntake): void {
    this.#intake = intake;
  }

  onBotState(listener: (botId: string, state: LoginState) => void): void {
    this.#onBotState = listener;
  }

  /** Starts receiving for the shared bot. An unreachable Telegram only shows in the bot's state. */
  async start(): Promise<void> {
    const { sharedToken } = this.#options;
    if (sharedToken === null) return;
    const login = this.#newLogin(SHARED, sharedToken, ({ status }) =>
      this.#observer.log('info', 'shared Telegram bot changed state', { status }),
    );
    this.#logins.set(SHARED_LOGIN, login);
    login.follow();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#logins.values()].map((login) => login.close()));
  }

  sharedLogin(): LoginState | null {
    return this.#logins.get(SHARED_LOGIN)?.state ?? null;
  }

  async addBot({ id, token }: HostedBot): Promise<LoginState> {
    requireForm(token, TELEGRAM_TOKEN);
    const login = this.#newBot(id, token);
    try {
      await login.logIn();
    } catch (error) {
      const failure = failureOf(error, true);
      if (failure.isLoggedOut) {
        await this.removeBot(id);
        throw refused(failure);
      }
      login.heard(failure);
    }
    login.follow();
    return login.state;
  }

  async removeBot(botId: string): Promise<void> {
    const login = this.#logins.get(botId);
    this.#logins.delete(botId);
    await login?.close();
    await this.#notes.write(botId, null);
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
    const login = this.#loginOf(message.to.login);
    if (!login) return { kind: 'refused', reason: 'The bot is not logged in', isAddressGone: false };
    const { api } = login;
    const chat = {
      api,
      clock: this.#clock,
      chatId: message.to.space.id,
      signal,
      loggedOut: (failure: BotApiFailure) => login.heard(failure),
    };
    const outcome = await sendParts(chat, partsOf(message));
    if (outcome.kind === 'later') this.#observer.count('throttled');
    return outcome;
  }

  async showTyping({ login, space }: Address, signal: AbortSignal): Promise<void> {
    const parameters = { chat_id: Number(space.id), action: 'typing' };
    const options = { deadlineMs: TYPING_DEADLINE_MS, signal };
    await this.#loginOf(login)
      ?.api.call('sendChatAction', parameters, options, z.unknown())
      .catch(() => undefined);
  }

  async fetchFile(login: LoginRef, ref: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const api = this.#loginOf(login)?.api;
    if (!api) throw new GatewayError('file_gone');
    try {
      const options = { deadlineMs: PREPARE_DEADLINE_MS, signal };
      const { file_path: path } = await api.call('getFile', { file_id: ref }, options, PreparedFile);
      return await api.download(path, signal);
    } catch (error) {
      const { kind, status, message } = failureOf(error, true);
      // Only these statuses concern the file; 401 concerns the bot.
      const isGone = kind === 'refused' && (status === 400 || status === 404);
      throw isGone ? new GatewayError('file_gone') : new GatewayError('platform_failed', message);
    }
  }

  refuses({ loginKey, header }: Pick<WebhookRequest, 'loginKey' | 'header'>): WebhookReply | null {
    const login = this.#logins.get(loginKey);
    return login ? login.refusesWebhook(header(SECRET_HEADER)) : NO_LOGIN;
  }

  async webhook(request: WebhookRequest): Promise<WebhookReply> {
    const login = this.#logins.get(request.loginKey);
    return login ? await login.takeWebhook(request.header(SECRET_HEADER), request.body) : NO_LOGIN;
  }

  #newBot(id: string, token: string): BotLogin {
    const ref: LoginRef = { kind: 'bot_token', id };
    const login = this.#newLogin(ref, token, (state) => this.#onBotState(id, state));
    const { botId } = login.api;
    if ([...this.#logins.values()].some(({ api }) => api.botId === botId)) {
      throw new GatewayError('bot_token_taken');
    }
    this.#logins.set(id, login);
    return login;
  }

  #newLogin(ref: LoginRef, token: string, onState: (state: LoginState) => void): BotLogin {
    assert(this.#intake !== null, 'onMessages comes before logins');
    const { urls, webhookRoot } = this.#options;
    const key = keyOfLogin(ref);
    return new BotLogin({
      ref,
      api: this.#apiOf(urls, token),
      clock: this.#clock,
      intake: this.#intake,
      key,
      notes: this.#notes,
      observer: this.#observer,
      webhookUrl: webhookRoot && (() => `${webhookRoot()}/${key}`),
      webhookSeed: token,
      onState,
    });
  }

  #apiOf(urls: BotApiUrls, token: string): BotApi {
    try {
      return new BotApi(urls, token, this.#clock);
    } catch (error) {
      throw refused(failureOf(error, true));
    }
  }

  #loginOf(ref: LoginRef): BotLogin | undefined {
    return this.#logins.get(keyOfLogin(ref));
  }
}

function refused({ message }: BotApiFailure): GatewayError {
  return new GatewayError('bot_refused', `The platform refused the bot token: ${message}`);
}
