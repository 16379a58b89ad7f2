import type { Platform } from '../../base/platform.ts';
import type { Clock } from '../../base/time.ts';
import type { Connector, Provides } from '../contract/connector.ts';
import { BridgeCalls } from './bridge-calls.ts';
import type { BridgeClient } from './bridge-client.ts';
import { BridgeMessenger, type BridgeMessengerDeps } from './bridge-messenger.ts';

export interface BridgedDeps {
  readonly client: BridgeClient;
  readonly clock: Clock;
  readonly openUrl: BridgeMessengerDeps['openUrl'];
}

/**
 * A platform whose messages and inbound calls the platform bridge carries. Of the gateway's own connector there remain
 * the connections of accounts, the state of logins and outbound calls.
 */
export class BridgedConnector implements Connector {
  readonly platform: Platform;
  readonly provides: Provides;
  readonly calls: BridgeCalls;
  readonly #own: Connector | null;

  /** `own`: the gateway's connector for the platform, if it has one. */
  constructor(platform: Platform, own: Connector | null, { client, clock, openUrl }: BridgedDeps) {
    this.platform = platform;
    this.#own = own;
    const { oauth, pairing, webhooks, status, calls, messenger, inboundCalls } = own?.provides ?? {};
    this.calls = new BridgeCalls(platform, {
      client,
      clock,
      onAnswerer: (answerer) => inboundCalls?.onInbound(answerer),
    });
    this.provides = {
      ...(oauth && { oauth }),
      ...(pairing && { pairing }),
      // Servers post the credentials of pairings.
      ...(pairing && webhooks && { webhooks }),
      ...(status && { status }),
      ...(calls && { calls }),
      messenger: new BridgeMessenger(platform, {
        client,
        openUrl,
        onIntake: (intake) => messenger?.onMessages(intake),
      }),
      inboundCalls: this.calls,
      sharedLogin: { sharedLogin: () => ({ name: null, status: client.problem ?? 'ok' }) },
    };
  }

  async start(): Promise<void> {
    await this.#own?.start();
  }

  async close(deadlineMs: number): Promise<void> {
    await Promise.all([this.calls.close(deadlineMs), this.#own?.close(deadlineMs)]);
  }
}
