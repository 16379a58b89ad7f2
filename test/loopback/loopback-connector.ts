import type { Clock } from '../../src/base/time.ts';
import type { Connector, Provides } from '../../src/connectors/contract/connector.ts';
import type { Bridges } from '../../src/media/transport.ts';
import { PLATFORM } from './platform.ts';
import { Calls } from './signaling/calls.ts';
import { Logins } from './signaling/logins.ts';
import { LoopbackMessenger } from './signaling/loopback-messenger.ts';
import { LoopbackOAuth, type OAuthOptions } from './signaling/oauth.ts';
import { Webhooks } from './signaling/webhooks.ts';

export interface LoopbackOptions extends OAuthOptions {
  /** Root of the vendor's API and of its meetings' URLs. */
  readonly vendorUrl: string;
  /** Public URL below which each login has its webhook, without a trailing slash. */
  readonly webhookRoot: () => string;
}

/** The loopback platform: everything that a platform can do, at a vendor on 127.0.0.1. */
export class LoopbackConnector implements Connector {
  readonly platform = PLATFORM;
  readonly provides: Provides;
  readonly #logins: Logins;

  constructor(options: LoopbackOptions, bridges: Bridges, clock: Clock) {
    this.#logins = new Logins({ ...options, clock });
    this.provides = {
      calls: new Calls(this.#logins, { ...options, bridges, clock }),
      messenger: new LoopbackMessenger(this.#logins),
      webhooks: new Webhooks(this.#logins),
      bots: this.#logins.bots,
      oauth: new LoopbackOAuth(options, this.#logins),
      status: this.#logins,
    };
  }

  /** Nothing to open: the gateway hands over bots and connections, each with its own connections to the vendor. */
  async start(): Promise<void> {}

  async close(): Promise<void> {
    await this.#logins.bots.close();
  }
}
