import * as z from 'zod';
import { assert } from '../../../src/base/assert.ts';
import { GatewayError } from '../../../src/base/errors.ts';
import { keyOfLogin, type LoginRef } from '../../../src/base/login-ref.ts';
import type { Clock } from '../../../src/base/time.ts';
import { newToken } from '../../../src/base/tokens.ts';
import type { LoginState, TellsStatus } from '../../../src/connectors/contract/login.ts';
import type { MessageIntake } from '../../../src/connectors/contract/messenger.ts';
import { HostedLogins } from '../../../src/connectors/kit/hosted-logins.ts';
import { LOGIN_OK, LoginStatus, type OnLoginState } from '../../../src/connectors/kit/login-check.ts';
import { platformFailure } from '../../../src/connectors/kit/platform-failure.ts';
import { EventStream } from './event-stream.ts';
import { takeMessage } from './inbound-messages.ts';
import { LoopbackApi, type TokenSource } from './loopback-api.ts';
import { Me } from './vendor-messages.ts';

const LOGIN_DEADLINE_MS = 10_000;

export interface LoginsOptions {
  /** Root of the vendor's API. */
  readonly vendorUrl: string;
  /** Public URL below which each login has its webhook, without a trailing slash. */
  readonly webhookRoot: () => string;
  readonly clock: Clock;
}

/** All bots and connections that are logged in. */
export class Logins implements TellsStatus {
  readonly bots: HostedLogins<LoopbackLogin>;
  readonly #options: LoginsOptions;
  #intake: MessageIntake | null = null;

  constructor(options: LoginsOptions) {
    this.#options = options;
    this.bots = new HostedLogins({
      form: { pattern: /./, hint: 'A token is missing' },
      open: ({ id, token }, onState) => {
        const api = this.apiFor({ token: async () => token, refused: async () => null });
        return this.#add({ kind: 'bot_token', id }, api, null, onState);
      },
      failureOf: (error) => platformFailure('The loopback vendor', error),
      follow: (login) => login.follow(),
    });
  }

  receive(intake: MessageIntake): void {
    this.#intake = intake;
  }

  get intake(): MessageIntake {
    assert(this.#intake !== null, 'onMessages comes before logins');
    return this.#intake;
  }

  loginState(login: LoginRef): LoginState | null {
    return this.bots.of(login)?.state ?? null;
  }

  /** The vendor's API for tokens of an account. */
  apiFor(tokens: TokenSource): LoopbackApi {
    return new LoopbackApi(this.#options.vendorUrl, tokens, this.#options.clock);
  }

  /** Adds a connection and follows its messages. Replaces one with the same id. */
  connect(id: string, tokens: TokenSource, name: string, onState: OnLoginState): void {
    void this.bots.removeBot(id);
    this.#add({ kind: 'connection', id }, this.apiFor(tokens), name, onState).follow();
  }

  #add(ref: LoginRef, api: LoopbackApi, name: string | null, onState: OnLoginState): LoopbackLogin {
    const key = keyOfLogin(ref);
    const { clock, webhookRoot } = this.#options;
    const isTaken = (account: string) => this.bots.all.some((each) => each.account === account);
    const login = new LoopbackLogin(ref, api, name, {
      clock,
      webhookUrl: () => `${webhookRoot()}/${key}`,
      intake: () => this.intake,
      isTaken,
      onState,
    });
    this.bots.put(key, login);
    return login;
  }
}

interface LoginDeps {
  readonly clock: Clock;
  /** Public URL of the login's webhook. */
  readonly webhookUrl: () => string;
  intake(): MessageIntake;
  /** Whether another login is this account of the vendor. */
  isTaken(account: string): boolean;
  /** Called when the login turns out to work, or no longer to work: the state to be stored. */
  readonly onState: OnLoginState;
}

/** One account of the vendor that the gateway acts as: a bot or a connection. */
export class LoopbackLogin extends LoginStatus {
  readonly ref: LoginRef;
  readonly api: LoopbackApi;
  /** Signs the login's webhooks and our answers to them. */
  readonly webhookSecret = newToken();
  /** The vendor's account of a bot; null until it has told. */
  account: string | null = null;
  readonly #deps: LoginDeps;
  /** Whether the state is that of a short failure, which is not stored. */
  #isBrief = false;
  #events: EventStream | null = null;

  constructor(ref: LoginRef, api: LoopbackApi, name: string | null, deps: LoginDeps) {
    super((state, former) => (this.#isBrief ? undefined : deps.onState(state, former)), { name });
    this.ref = ref;
    this.api = api;
    this.#deps = deps;
  }

  async logIn(): Promise<void> {
    const signal = AbortSignal.timeout(LOGIN_DEADLINE_MS);
    const { id, name } = await this.api.call({ method: 'GET', path: 'me' }, Me, signal);
    if (this.#deps.isTaken(id)) throw new GatewayError('bot_token_taken');
    this.account = id;
    this.become({ name, status: LOGIN_OK });
  }

  couldNotLogIn(error: unknown): void {
    this.#tell((error as Error).message, true);
  }

  /** Starts receiving: channels by webhook, direct messages by the event stream. */
  follow(): void {
    const { clock, intake } = this.#deps;
    const observer = {
      up: () => this.#tell(LOGIN_OK, false),
      down: (reason: string) => this.#tell(reason, true),
      loggedOut: (reason: string) => this.#tell(reason, false),
    };
    this.#events ??= new EventStream(
      {
        api: this.api,
        clock,
        observer,
        take: (type, message) => takeMessage(intake(), this.ref, type, message),
      },
      (signal) => this.#subscribe(signal),
    );
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#events?.close();
  }

  #tell(status: string, isBrief: boolean): void {
    this.#isBrief = isBrief;
    this.become({ status });
  }

  async #subscribe(signal: AbortSignal): Promise<void> {
    const json = { url: this.#deps.webhookUrl(), secret: this.webhookSecret };
    await this.api.call({ method: 'PUT', path: 'webhook', json }, z.unknown(), signal);
  }
}
