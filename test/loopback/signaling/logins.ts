import { assert } from '../../../src/base/assert.ts';
import type { Clock } from '../../../src/base/time.ts';
import {
  keyOfLogin,
  type LoginRef,
  type LoginState,
  type TellsStatus,
} from '../../../src/connectors/contract/login.ts';
import type { MessageIntake } from '../../../src/connectors/contract/messenger.ts';
import { takeMessage } from './inbound-messages.ts';
import { LoopbackApi, type TokenSource } from './loopback-api.ts';
import { type LoginDeps, LoopbackLogin } from './loopback-login.ts';

export interface LoginsOptions {
  /** Root of the vendor's API. */
  readonly vendorUrl: string;
  /** Public URL below which each login has its webhook, without a trailing slash. */
  readonly webhookRoot: () => string;
  readonly clock: Clock;
}

/** All bots and connections that are logged in. */
export class Logins implements TellsStatus {
  readonly #options: LoginsOptions;
  readonly #byKey = new Map<string, LoopbackLogin>();
  #intake: MessageIntake | null = null;

  constructor(options: LoginsOptions) {
    this.#options = options;
  }

  receive(intake: MessageIntake): void {
    this.#intake = intake;
  }

  get intake(): MessageIntake {
    assert(this.#intake !== null, 'onMessages comes before logins');
    return this.#intake;
  }

  find(key: string): LoopbackLogin | null {
    return this.#byKey.get(key) ?? null;
  }

  loginState(login: LoginRef): LoginState | null {
    return this.find(keyOfLogin(login))?.state ?? null;
  }

  /** The vendor's API for tokens of an account. */
  apiFor(tokens: TokenSource): LoopbackApi {
    return new LoopbackApi(this.#options.vendorUrl, tokens);
  }

  /** Adds a login and follows its messages. Replaces one with the same key. `name` null: not known yet. */
  add(ref: LoginRef, api: LoopbackApi, name: string | null, onState: LoginDeps['onState']): LoopbackLogin {
    const key = keyOfLogin(ref);
    void this.remove(key);
    const { clock, webhookRoot } = this.#options;
    const login = new LoopbackLogin(ref, api, name, {
      clock,
      webhookUrl: () => `${webhookRoot()}/${key}`,
      take: (from, type, message) => takeMessage(this.intake, from, type, message),
      onState,
    });
    this.#byKey.set(key, login);
    login.follow();
    return login;
  }

  async remove(key: string): Promise<void> {
    const login = this.#byKey.get(key);
    this.#byKey.delete(key);
    await login?.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byKey.keys()].map((key) => this.remove(key)));
  }
}
