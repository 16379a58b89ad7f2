import { GatewayError } from '../../../base/errors.ts';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import { keyOfLogin, type LoginRef, type LoginState } from '../../contract/login.ts';
import type { MessageIntake } from '../../contract/messenger.ts';
import type { PlatformFailure } from '../../kit/platform-failure.ts';
import { failureOf, type SlackApi } from '../client.ts';
import { EventReceiver } from '../events/event-receiver.ts';
import { Directory } from '../messages/directory.ts';
import { inboundFiles } from '../messages/inbound-files.ts';
import { Identity } from '../objects.ts';
import type { SlackObserver } from '../slack-observer.ts';
import type { BotIdentity } from '../slack-records.ts';

/** Status of a login that works. */
export const OK = 'ok';
/** Status until Slack has answered for the first time. */
const CONNECTING = 'Connecting';
const CALL_DEADLINE_MS = 15_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 300_000;

export interface SlackLoginDeps {
  readonly ref: LoginRef;
  readonly api: SlackApi;
  readonly clock: Clock;
  readonly observer: SlackObserver;
  intake(): MessageIntake;
  onState(state: LoginState): void;
  /** Called whenever Slack has told who the bot is. Rejects with a GatewayError when another login is the same bot. */
  readonly claim: (identity: BotIdentity) => Promise<void>;
  /** Called when `identity` may have changed. */
  readonly located: () => void;
}

/** One bot in one workspace: who it is, its state, and what its events are handled by. */
export class SlackLogin {
  readonly api: SlackApi;
  readonly directory: Directory;
  readonly events: EventReceiver;
  readonly #deps: SlackLoginDeps;
  readonly #ending = new AbortController();
  #identity: BotIdentity | null;
  #state: LoginState = { name: null, status: CONNECTING };
  #retryMs = FIRST_RETRY_MS;
  #cancelRetry: CancelTimer = () => {};
  #checking: Promise<void> | null = null;
  #isTaken = false;
  /** Why no events come; null: they do. */
  #deafness: string | null = null;

  /** `identity`: what Slack last said about the bot; null: unknown. */
  constructor(deps: SlackLoginDeps, identity: BotIdentity | null) {
    const { api, clock, intake, ref } = deps;
    this.#deps = deps;
    this.api = api;
    this.#identity = identity;
    this.directory = new Directory(api, clock, this.#ending.signal);
    this.events = new EventReceiver({
      ref,
      directory: this.directory,
      intake,
      botUserId: () => this.#identity?.userId ?? '',
      home: () => new Set([this.#identity?.teamId ?? '', this.#identity?.enterpriseId ?? '']),
      filesOf: (files) => inboundFiles(api, files, this.#ending.signal),
      ended: () => this.check(),
    });
  }

  get key(): string {
    return keyOfLogin(this.#deps.ref);
  }

  /** A working token is not enough where events come over a connection of its own. */
  get state(): LoginState {
    const { name, status } = this.#state;
    return { name, status: status === OK ? (this.#deafness ?? OK) : status };
  }

  /** Whether another login already acts as this bot, so that this one must not. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** Null until Slack has told who the bot is. */
  get identity(): BotIdentity | null {
    return this.#identity;
  }

  /** Asks Slack whose token it is. Rejects with a PlatformFailure, or with what `claim` throws. */
  async logIn(): Promise<void> {
    const options = { deadlineMs: CALL_DEADLINE_MS, signal: this.#ending.signal };
    const me = await this.api.call('auth.test', {}, options, Identity);
    const identity = {
      teamId: me.team_id,
      enterpriseId: me.enterprise_id || null,
      isOrgWide: me.is_enterprise_install === true,
      userId: me.user_id,
    };
    await this.#deps.claim(identity);
    this.#isTaken = false;
    this.#identity = identity;
    this.#deps.located();
    this.#retryMs = FIRST_RETRY_MS;
    this.#become({ name: me.user === undefined ? null : `@${me.user}`, status: OK });
  }

  /** Reports why Slack could not be asked, and asks again later. */
  couldNotLogIn({ message }: PlatformFailure): void {
    this.#isDown(message);
  }

  /** Asks again in the background, and after every failure until Slack accepts the token. */
  check(): void {
    this.#cancelRetry();
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
  }

  /** As `check`, at some time within `spreadMs`. */
  checkWithin(spreadMs: number): void {
    this.#cancelRetry();
    this.#cancelRetry = this.#deps.clock.after(Math.random() * spreadMs, () => this.check());
  }

  /** Reports a failed request of the bot. */
  failed(failure: PlatformFailure): void {
    if (failure.kind === 'later') this.#deps.observer.count('throttled');
    else this.#deps.observer.count('api_error');
    if (failure.isLoggedOut) this.#isDown(failure.message);
  }

  /** Reports why the app's events do not come; null: they do. */
  hears(deafness: string | null): void {
    if (this.#ending.signal.aborted) return;
    this.#change(() => {
      this.#deafness = deafness === null ? null : `Socket Mode: ${deafness}`;
    });
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#cancelRetry();
    await this.#checking;
    await this.events.settled();
  }

  async #check(): Promise<void> {
    try {
      await this.logIn();
    } catch (error) {
      this.#isTaken = error instanceof GatewayError;
      this.#isDown(error instanceof Error ? failureOf(error).message : 'unknown');
    }
  }

  #isDown(status: string): void {
    if (this.#ending.signal.aborted) return;
    this.#become({ ...this.#state, status });
    this.#cancelRetry();
    this.#cancelRetry = this.#deps.clock.after(this.#retryMs, () => this.check());
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  #become(state: LoginState): void {
    this.#change(() => {
      this.#state = state;
    });
  }

  #change(change: () => void): void {
    const { name, status } = this.state;
    change();
    const { state } = this;
    if (state.status === status && state.name === name) return;
    this.#deps.observer.count(state.status === OK ? 'login_ok' : 'login_failed');
    this.#deps.onState(state);
  }
}
