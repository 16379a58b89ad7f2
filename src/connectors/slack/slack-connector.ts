import { assert } from '../../base/assert.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Clock } from '../../base/time.ts';
import type { Connector, Provides } from '../contract/connector.ts';
import {
  type HostedBot,
  type HostsBots,
  keyOfLogin,
  type LoginRef,
  type LoginState,
} from '../contract/login.ts';
import type {
  FetchesFiles,
  MessageIntake,
  Messenger,
  OutboundMessage,
  SendOutcome,
} from '../contract/messenger.ts';
import type { TakesWebhooks, WebhookReply, WebhookRequest } from '../contract/webhooks.ts';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from './events/signature.ts';
import { WebhookReceiver } from './events/webhook-receiver.ts';
import { Logins } from './login/logins.ts';
import { SlackLogin } from './login/slack-login.ts';
import { downloadFile } from './messages/file-download.ts';
import { toMrkdwn } from './messages/mrkdwn.ts';
import { sendMessage } from './messages/send-message.ts';
import { SLACK_REMEDIES } from './remedies.ts';
import type { SlackObserver } from './slack-observer.ts';
import type { BotIdentity, SlackRecords } from './slack-records.ts';
import { SlackApi, type SlackUrls } from './web-api/slack-api.ts';
import { failureOf, type SlackFailure } from './web-api/slack-failure.ts';

/** Slack cuts longer texts off (https://docs.slack.dev/reference/methods/chat.postMessage#truncating). */
const MAX_TEXT = 40_000;

export interface SlackOptions {
  readonly urls: SlackUrls;
}

export interface SlackDeps {
  readonly clock: Clock;
  readonly observer: SlackObserver;
  readonly records: SlackRecords;
}

/** Slack over its Web API and Events API, with any number of independent bots. */
export class SlackConnector implements Connector, Messenger, FetchesFiles, TakesWebhooks, HostsBots {
  readonly platform = 'slack' as const;
  readonly remedies = SLACK_REMEDIES;
  readonly provides: Provides = { messenger: this, webhooks: this, bots: this };
  readonly files: FetchesFiles = this;
  readonly endpoints = [{ path: 'webhook', methods: ['post'], answers: 'text' }] as const;
  readonly headers = [SIGNATURE_HEADER, TIMESTAMP_HEADER];
  readonly #options: SlackOptions;
  readonly #deps: SlackDeps;
  /** By `keyOfLogin`. */
  readonly #logins = new Logins();
  readonly #webhooks: WebhookReceiver;
  #intake: MessageIntake | null = null;
  #onBotState: (botId: string, state: LoginState) => void = () => undefined;

  constructor(options: SlackOptions, deps: SlackDeps) {
    this.#options = options;
    this.#deps = deps;
    const { clock, observer } = deps;
    this.#webhooks = new WebhookReceiver({ clock, observer, logins: this.#logins });
  }

  onMessages(intake: MessageIntake): void {
    this.#intake = intake;
  }

  onBotState(listener: (botId: string, state: LoginState) => void): void {
    this.#onBotState = listener;
  }

  async start(): Promise<void> {
    assert(this.#intake !== null, 'onMessages comes before start');
  }

  async close(): Promise<void> {
    await Promise.all(this.#logins.all.map(({ login }) => login.close()));
  }

  async addBot(bot: HostedBot): Promise<LoginState> {
    const login = await this.#newLogin(bot);
    try {
      await login.logIn();
    } catch (error) {
      const failure = failureOf(error);
      if (error instanceof GatewayError || failure.isLoggedOut) {
        await this.removeBot(bot.id);
        throw error instanceof GatewayError ? error : refused(failure);
      }
      login.check();
    }
    return login.state;
  }

  async removeBot(botId: string): Promise<void> {
    await this.#logins.remove(botId)?.close();
  }

  /** Escaping makes a text longer. */
  checkText(text: string): void {
    const { length } = toMrkdwn(text);
    if (length <= MAX_TEXT) return;
    const reason = `the message is too long for Slack: ${length} characters, at most ${MAX_TEXT}`;
    throw new GatewayError('send_failed', `Failed to send message: ${reason}`);
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    const login = this.#logins.get(keyOfLogin(message.to.login));
    if (!login) return { kind: 'refused', reason: 'The bot is not logged in', isAddressGone: false };
    return await sendMessage(login, message, signal);
  }

  async fetchFile(login: LoginRef, ref: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const found = this.#logins.get(keyOfLogin(login));
    if (!found) throw new GatewayError('file_gone');
    return await downloadFile(found.api, ref, signal);
  }

  refuses(request: Pick<WebhookRequest, 'header'>): WebhookReply | null {
    return this.#webhooks.refuses(request);
  }

  async webhook(request: WebhookRequest): Promise<WebhookReply> {
    return await this.#webhooks.take(request);
  }

  async #newLogin({ id, token, signingSecret }: HostedBot): Promise<SlackLogin> {
    const { clock, observer, records } = this.#deps;
    const login = new SlackLogin(
      {
        ref: { kind: 'bot_token', id },
        api: this.#apiOf(token),
        clock,
        observer,
        intake: () => this.#intakeSet(),
        onState: (state) => this.#onBotState(id, state),
        claim: (identity) => this.#claim(id, identity),
      },
      await records.identity(id),
    );
    this.#logins.add(id, { login, signingSecret: signingSecret || null });
    return login;
  }

  /** One bot of Slack's belongs to one account, whoever knows its token. */
  async #claim(botId: string, identity: BotIdentity): Promise<void> {
    if (!(await this.#deps.records.claim(botId, identity))) throw new GatewayError('bot_token_taken');
  }

  #apiOf(token: string): SlackApi {
    try {
      return new SlackApi(this.#options.urls, token, this.#deps.clock);
    } catch (error) {
      throw refused(failureOf(error));
    }
  }

  #intakeSet(): MessageIntake {
    assert(this.#intake !== null, 'onMessages comes before webhooks');
    return this.#intake;
  }
}

function refused({ message }: SlackFailure): GatewayError {
  return new GatewayError('bot_refused', `The platform refused the bot token: ${message}`);
}
