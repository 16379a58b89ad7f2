import type { LoginRef } from '../../../src/base/address.ts';
import type { Clock } from '../../../src/base/time.ts';
import type { ConnectionTokens } from '../../../src/connectors/contract/oauth.ts';
import { LOGIN_OK, LoginStatus } from '../../../src/connectors/kit/login-check.ts';
import { PlatformFailure } from '../../../src/connectors/kit/platform-failure.ts';
import { LoopbackApi, type LoopbackRequest } from '../messages/loopback-api.ts';
import type { LoopbackLogin } from '../messages/loopback-bot.ts';
import type { LoopbackChat } from '../messages/loopback-chat.ts';
import { takeMessage } from '../messages/vendor-messages.ts';
import { EventStream } from './event-stream.ts';

export interface ConnectionDeps {
  readonly id: string;
  /** Shown to its owner. */
  readonly name: string;
  readonly tokens: ConnectionTokens;
  readonly chat: Pick<LoopbackChat, 'intake'>;
  readonly vendorUrl: string;
  readonly clock: Clock;
}

/** A person's own account at the vendor, which hears of messages by an event stream. */
export class ConnectionLogin extends LoginStatus implements LoopbackLogin {
  readonly ref: LoginRef;
  readonly api: LoopbackApi;
  readonly webhookSecret = null;
  /** Whether the state is that of a short failure, which is not stored. */
  #isBrief = false;
  readonly #events: EventStream;

  constructor({ id, name, tokens, chat, vendorUrl, clock }: ConnectionDeps) {
    super(({ status }) => (this.#isBrief ? undefined : tokens.report(id, status)), { name });
    const ref = { kind: 'connection', id } as const;
    this.ref = ref;
    this.api = new ConnectionApi(vendorUrl, id, tokens, clock);
    this.#events = new EventStream({
      api: this.api,
      clock,
      take: (event) => takeMessage(chat.intake, ref, event),
      observer: {
        up: () => this.#tell(LOGIN_OK, false),
        down: (reason) => this.#tell(reason, true),
        loggedOut: (reason) => this.#tell(reason, false),
      },
    });
  }

  /** The gateway has logged it in. */
  async logIn(): Promise<void> {}

  /** The event stream finds out whether the login still works. */
  failed(): void {}

  override async close(): Promise<void> {
    await super.close();
    await this.#events.close();
  }

  #tell(status: string, isBrief: boolean): void {
    this.#isBrief = isBrief;
    this.become({ status });
  }
}

/** Asks again with another token when the vendor refuses one. */
class ConnectionApi extends LoopbackApi {
  readonly #id: string;
  readonly #tokens: ConnectionTokens;

  constructor(baseUrl: string, id: string, tokens: ConnectionTokens, clock: Clock) {
    super(baseUrl, () => tokens.accessToken(id), clock);
    this.#id = id;
    this.#tokens = tokens;
  }

  protected override async ask(
    request: LoopbackRequest,
    token: string,
    signal: AbortSignal,
  ): Promise<unknown> {
    try {
      return await super.ask(request, token, signal);
    } catch (error) {
      if (!(error instanceof PlatformFailure && error.isLoggedOut)) throw error;
      return await super.ask(request, await this.#tokens.refused(this.#id, token), signal);
    }
  }
}
