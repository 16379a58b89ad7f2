import { GatewayError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time.ts';
import type { LoginState } from '../../contract/login.ts';
import type { MessageIntake } from '../../contract/messenger.ts';
import { ignored } from '../../kit/ignored.ts';
import { LOGIN_OK, LoginCheck } from '../../kit/login-check.ts';
import type { PlatformFailure } from '../../kit/platform-failure.ts';
import { type AccessToken, failureOf, SlackApi, type SlackUrls } from '../client.ts';
import { EventReceiver } from '../events/event-receiver.ts';
import { Directory } from '../messages/directory.ts';
import { inboundFiles } from '../messages/inbound-files.ts';
import { Identity } from '../objects.ts';
import type { SlackObserver } from '../slack-observer.ts';
import type { AccountLogin, BotIdentity, SlackRecords } from '../slack-records.ts';

const CALL_DEADLINE_MS = 15_000;

export interface SlackLoginDeps {
  readonly urls: SlackUrls;
  readonly clock: Clock;
  readonly observer: SlackObserver;
  readonly records: SlackRecords;
  /** Told when Slack has said who a login is. */
  readonly logins: { located(key: string): void };
  intake(): MessageIntake;
}

export interface NewLogin {
  readonly ref: AccountLogin;
  readonly token: AccessToken;
  /** With which its app's events are signed. Null: no request can be verified. */
  readonly signingSecret: string | null;
  /** Returns the error for a bot that another login already is. */
  taken(): Error;
  onState(state: LoginState): void;
}

/** One bot in one workspace: who it is, its state, and what its events are handled by. */
export class SlackLogin extends LoginCheck {
  readonly api: SlackApi;
  readonly directory: Directory;
  readonly events: EventReceiver;
  readonly #deps: SlackLoginDeps;
  readonly #wanted: NewLogin;
  #identity: BotIdentity | null;
  #isTaken = false;

  /** `identity`: what Slack last said about the bot; null: unknown. */
  constructor(deps: SlackLoginDeps, wanted: NewLogin, identity: BotIdentity | null) {
    super({
      clock: deps.clock,
      ask: (signal) => this.#ask(signal),
      wordsOf: (error) => {
        this.#isTaken = error instanceof GatewayError;
        return failureOf(error).message;
      },
      onState: (state) => {
        deps.observer.count(state.status === LOGIN_OK ? 'login_ok' : 'login_failed');
        wanted.onState(state);
      },
    });
    this.#deps = deps;
    this.#wanted = wanted;
    this.#identity = identity;
    const api = new SlackApi(deps.urls, wanted.token, deps.clock);
    this.api = api;
    this.directory = new Directory(api, deps.clock, this.signal);
    this.events = new EventReceiver({
      ref: wanted.ref,
      directory: this.directory,
      intake: deps.intake,
      botUserId: () => this.#identity?.userId ?? '',
      home: () => new Set([this.#identity?.teamId ?? '', this.#identity?.enterpriseId ?? '']),
      filesOf: (files) => inboundFiles(api, files, this.signal),
      ended: () => this.check(),
      ignored: (kind) => ignored(deps.observer, 'event_ignored', kind),
    });
  }

  get key(): string {
    return this.#wanted.ref.id;
  }

  get signingSecret(): string | null {
    return this.#wanted.signingSecret;
  }

  /** Whether another login already acts as this bot, so that this one must not. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** Null until Slack has told who the bot is. */
  get identity(): BotIdentity | null {
    return this.#identity;
  }

  /** Reports a failed request of the bot. */
  failed(failure: PlatformFailure): void {
    this.#deps.observer.count(failure.kind === 'later' ? 'throttled' : 'api_error');
    if (failure.isLoggedOut) this.isDown(failure.message);
  }

  /** Reports why the app's events do not come over their own connection; null: they do. */
  hears(deafness: string | null): void {
    this.impair(deafness === null ? null : `Socket Mode: ${deafness}`);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.events.settled();
  }

  /** Rejects with a PlatformFailure, or with `taken`: one bot of Slack's belongs to one account, whoever knows its token. */
  async #ask(signal: AbortSignal): Promise<Partial<LoginState>> {
    const { records, logins } = this.#deps;
    const me = await this.api.call('auth.test', {}, { deadlineMs: CALL_DEADLINE_MS, signal }, Identity);
    const identity = {
      teamId: me.team_id,
      enterpriseId: me.enterprise_id || null,
      isOrgWide: me.is_enterprise_install === true,
      userId: me.user_id,
    };
    if (!(await records.claim(this.#wanted.ref, identity))) throw this.#wanted.taken();
    this.#isTaken = false;
    this.#identity = identity;
    logins.located(this.key);
    return { name: me.user === undefined ? null : `@${me.user}` };
  }
}
