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
import { checkTextLength } from '../kit/text-limit.ts';
import { requireForm } from '../kit/token-form.ts';
import { EventIntake, SLACK_HEADERS, WebhookReceiver } from './events/webhook-receiver.ts';
import { Logins } from './login/logins.ts';
import { type LoginWorld, openLogin } from './login/open-login.ts';
import type { SlackLogin } from './login/slack-login.ts';
import { SLACK_APP_TOKEN, SLACK_BOT_TOKEN } from './login/token-forms.ts';
import { downloadFile } from './messages/file-download.ts';
import { toMrkdwn } from './messages/mrkdwn.ts';
import { SLACK_REMEDIES, sendMessage } from './messages/send-message.ts';
import { ConnectedWorkspaces } from './oauth/connected-workspaces.ts';
import { type SharedApp, SlackOAuth } from './oauth/slack-oauth.ts';
import type { SlackObserver } from './slack-observer.ts';
import type { SlackRecords } from './slack-records.ts';
import { SocketMode } from './socket/socket-mode.ts';
import { type AccessToken, fixedToken } from './web-api/access-token.ts';
import type { SlackUrls } from './web-api/slack-api.ts';
import { failureOf, type SlackFailure } from './web-api/slack-failure.ts';

/** Slack cuts longer texts off (https://docs.slack.dev/reference/methods/chat.postMessage#truncating). */
const MAX_TEXT = 40_000;

export interface SlackOptions {
  readonly urls: SlackUrls;
  /** Null: there is no app that all accounts share. */
  readonly sharedApp: SharedApp | null;
}

export interface SlackDeps {
  readonly clock: Clock;
  readonly observer: SlackObserver;
  readonly records: SlackRecords;
}

/** Slack over its Web API, Events API and Socket Mode: own bots, and the workspaces that have installed the shared app. */
export class SlackConnector implements Connector, Messenger, FetchesFiles, TakesWebhooks, HostsBots {
  readonly platform = 'slack' as const;
  readonly remedies = SLACK_REMEDIES;
  readonly provides: Provides;
  readonly files: FetchesFiles = this;
  readonly endpoints = [{ path: 'webhook', methods: ['post'], answers: 'text' }] as const;
  readonly headers = Object.values(SLACK_HEADERS);
  /** By `keyOfLogin`. */
  readonly #logins = new Logins();
  readonly #world: LoginWorld;
  readonly #workspaces: ConnectedWorkspaces;
  readonly #webhooks: WebhookReceiver;
  readonly #sockets: SocketMode;
  #intake: MessageIntake | null = null;
  #onBotState: (botId: string, state: LoginState) => void = () => undefined;

  constructor(options: SlackOptions, deps: SlackDeps) {
    const { urls, sharedApp: app } = options;
    const { clock } = deps;
    const logins = this.#logins;
    this.#world = { ...deps, urls, logins, intake: () => this.#intakeSet() };
    const workspaces = new ConnectedWorkspaces(this.#world, app?.signingSecret ?? null);
    this.#workspaces = workspaces;
    const expects = (places: ReadonlySet<string>) => workspaces.expects(places);
    const sharedApp = app && { signingSecret: app.signingSecret, expects };
    const events = new EventIntake(logins, deps.observer);
    this.#webhooks = new WebhookReceiver({ ...deps, logins, events, sharedApp });
    this.#sockets = new SocketMode(this.#world, events);
    const oauth = new SlackOAuth(urls, app, clock, workspaces);
    this.provides = { messenger: this, webhooks: this, bots: this, oauth };
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
    await Promise.all([this.#workspaces.close(), this.#sockets.close()]);
    await Promise.all(this.#logins.all.map(({ login }) => login.close()));
  }

  async addBot(bot: HostedBot): Promise<LoginState> {
    requireForm(bot.token, SLACK_BOT_TOKEN);
    if (bot.appToken) requireForm(bot.appToken, SLACK_APP_TOKEN);
    const login = await this.#newLogin(bot);
    try {
      await login.logIn();
    } catch (error) {
      const failure = failureOf(error);
      if (error instanceof GatewayError || failure.isLoggedOut) {
        await this.removeBot(bot.id);
        throw error instanceof GatewayError ? error : refused(failure);
      }
      login.couldNotLogIn(failure);
    }
    if (bot.appToken) await this.#listen(bot.id, bot.appToken);
    return login.state;
  }

  async removeBot(botId: string): Promise<void> {
    const login = this.#logins.remove(botId);
    await this.#sockets.leave(botId);
    await login?.close();
  }

  /** Escaping makes a text longer. */
  checkText(text: string): void {
    checkTextLength('Slack', toMrkdwn(text).length, MAX_TEXT);
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    const login = this.#logins.get(keyOfLogin(message.to.login));
    if (login && !login.isTaken) return await sendMessage(login, message, signal);
    const reason = login?.state.status ?? 'The bot is not logged in';
    return { kind: 'refused', reason, isAddressGone: false };
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
    return await openLogin(this.#world, {
      ref: { kind: 'bot_token', id },
      token: tokenOf(token),
      signingSecret: signingSecret || null,
      taken: () => new GatewayError('bot_token_taken'),
      onState: (state) => this.#onBotState(id, state),
    });
  }

  /** Has the bot's events delivered over Socket Mode. A token that Slack refuses shows in the bot's state as well. */
  async #listen(botId: string, appToken: string): Promise<void> {
    const failure = await this.#sockets.join(botId, appToken).catch(failureOf);
    if (failure?.isLoggedOut !== true) return;
    await this.removeBot(botId);
    throw refused(failure, 'app token');
  }

  #intakeSet(): MessageIntake {
    assert(this.#intake !== null, 'onMessages comes before webhooks');
    return this.#intake;
  }
}

function tokenOf(token: string): AccessToken {
  try {
    return fixedToken(token);
  } catch (error) {
    throw refused(failureOf(error));
  }
}

function refused({ message }: SlackFailure, what = 'bot token'): GatewayError {
  return new GatewayError('bot_refused', `The platform refused the ${what}: ${message}`);
}
