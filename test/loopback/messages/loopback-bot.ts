import * as z from 'zod';
import type { LoginRef } from '../../../src/base/address.ts';
import { newToken } from '../../../src/base/ids.ts';
import type { Clock } from '../../../src/base/time.ts';
import type { HostedBot, LoginState } from '../../../src/connectors/contract/login.ts';
import type { BotLogin } from '../../../src/connectors/kit/hosted-logins.ts';
import { LoginCheck, type OnLoginState } from '../../../src/connectors/kit/login-check.ts';
import { type PlatformFailure, platformFailure } from '../../../src/connectors/kit/platform-failure.ts';
import { LoopbackApi } from './loopback-api.ts';
import { Me } from './vendor-messages.ts';

const LOGIN_DEADLINE_MS = 10_000;

export interface ChatOptions {
  /** Root of the vendor's API. */
  readonly vendorUrl: string;
  /** Public URL below which each bot has its webhook, without a trailing slash. */
  readonly webhookRoot: () => string;
  readonly clock: Clock;
}

/** An account of the vendor that the gateway acts as. */
export interface LoopbackLogin extends BotLogin {
  readonly ref: LoginRef;
  readonly api: LoopbackApi;
  /** Signs its webhooks and our answers to them. Null: it has none. */
  readonly webhookSecret: string | null;
  /** Reports that the vendor has not carried a request out. */
  failed(failure: PlatformFailure): void;
}

/** A bot, which hears of messages by webhook. */
export class LoopbackBot extends LoginCheck implements LoopbackLogin {
  readonly ref: LoginRef;
  readonly token: string;
  readonly api: LoopbackApi;
  readonly webhookSecret = newToken();
  readonly #webhookUrl: () => string;

  constructor(
    { id, token }: HostedBot,
    { vendorUrl, webhookRoot, clock }: ChatOptions,
    onState: OnLoginState,
  ) {
    super({
      clock,
      ask: (signal) => this.#ask(signal),
      wordsOf: (error) => failureOf(error).message,
      onState,
    });
    this.ref = { kind: 'bot_token', id };
    this.token = token;
    this.api = new LoopbackApi(vendorUrl, async () => token, clock);
    this.#webhookUrl = () => `${webhookRoot()}/${id}`;
  }

  failed({ isLoggedOut, message }: PlatformFailure): void {
    if (isLoggedOut) this.isDown(message);
  }

  async #ask(signal: AbortSignal): Promise<Partial<LoginState>> {
    const limit = { deadlineMs: LOGIN_DEADLINE_MS };
    const { name } = await this.api.call({ method: 'GET', path: 'me', ...limit }, Me, signal);
    const json = { url: this.#webhookUrl(), secret: this.webhookSecret };
    await this.api.call({ method: 'PUT', path: 'webhook', json, ...limit }, z.unknown(), signal);
    return { name };
  }
}

export function failureOf(error: unknown): PlatformFailure {
  return platformFailure('The loopback vendor', error);
}
