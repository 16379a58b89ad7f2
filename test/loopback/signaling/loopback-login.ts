import * as z from 'zod';
import type { Clock } from '../../../src/base/time.ts';
import { newToken } from '../../../src/base/tokens.ts';
import type { LoginRef, LoginState } from '../../../src/connectors/contract/login.ts';
import { EventStream } from './event-stream.ts';
import type { LoopbackApi } from './loopback-api.ts';
import type { VendorMessage } from './vendor-messages.ts';

export interface LoginDeps {
  readonly clock: Clock;
  /** Public URL of the login's webhook. */
  readonly webhookUrl: () => string;
  readonly take: (login: LoginRef, type: 'message' | 'edited', message: VendorMessage) => Promise<unknown>;
  /** Called when the login turns out to work, or no longer to work: the state to be stored. */
  readonly onState: (state: LoginState) => void;
}

/** One account of the vendor that the gateway acts as: a bot or a connection. */
export class LoopbackLogin {
  readonly ref: LoginRef;
  readonly api: LoopbackApi;
  /** Signs the login's webhooks and our answers to them. */
  readonly webhookSecret = newToken();
  readonly #deps: LoginDeps;
  #state: LoginState;
  #events: EventStream | null = null;

  constructor(ref: LoginRef, api: LoopbackApi, name: string | null, deps: LoginDeps) {
    this.ref = ref;
    this.api = api;
    this.#state = { name, status: 'Connecting to the vendor' };
    this.#deps = deps;
  }

  /** The state at this moment, short failures included. */
  get state(): LoginState {
    return this.#state;
  }

  named(name: string): void {
    this.#state = { ...this.#state, name };
  }

  /** Starts receiving: channels by webhook, direct messages by the event stream. */
  follow(): void {
    const { clock, take } = this.#deps;
    const observer = {
      up: () => this.#store('ok'),
      down: (reason: string) => this.#set(reason),
      loggedOut: (reason: string) => this.#store(reason),
    };
    this.#events ??= new EventStream(
      { api: this.api, clock, observer, take: (type, message) => take(this.ref, type, message) },
      (signal) => this.#subscribe(signal),
    );
  }

  async close(): Promise<void> {
    await this.#events?.close();
  }

  #set(status: string): void {
    this.#state = { ...this.#state, status };
  }

  #store(status: string): void {
    this.#set(status);
    this.#deps.onState(this.#state);
  }

  async #subscribe(signal: AbortSignal): Promise<void> {
    const body = { url: this.#deps.webhookUrl(), secret: this.webhookSecret };
    await this.api.call({ method: 'PUT', path: 'webhook', body }, z.unknown(), signal);
  }
}
