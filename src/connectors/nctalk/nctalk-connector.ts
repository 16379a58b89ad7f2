import type { FindAddresses } from '../../base/find-addresses.ts';
import type { AddressRule } from '../../base/public-address.ts';
import type { Clock } from '../../base/time.ts';
import type { Bridges } from '../../media/transport.ts';
import type { Connector, Provides } from '../contract/connector.ts';
import type { PlatformRecords } from '../contract/records.ts';
import { PlatformHttp } from '../kit/platform-http.ts';
import { NextcloudTalkMessenger } from './nctalk-messenger.ts';
import type { NextcloudTalkObserver } from './nctalk-observer.ts';
import { ReplayMemory } from './pairing/addon-signature.ts';
import { TalkPairing } from './pairing/talk-pairing.ts';
import { PairingWebhooks } from './webhooks/pairing-webhooks.ts';

const MAX_ANSWER_BYTES = 1_048_576;

export interface NextcloudTalkOptions {
  /** Secrets of signaling servers that calls join as an internal client, by host. */
  readonly internalSecrets: ReadonlyMap<string, string>;
}

export interface NextcloudTalkDeps {
  readonly clock: Clock;
  readonly observer: NextcloudTalkObserver;
  readonly records: PlatformRecords;
  /** For requests to Nextclouds, whose URLs people give. */
  readonly fetches: typeof fetch;
  /** For sockets to their signaling servers. */
  readonly findAddresses: FindAddresses;
  readonly isOpen: AddressRule;
  /** Whether the operator has opened addresses that are not public. Only there may a Nextcloud go without TLS. */
  readonly allowsHttp: boolean;
  /** Without a trailing slash. Known once HTTP listens. */
  readonly publicUrl: () => string;
  readonly bridges: Bridges;
}

/** Nextcloud Talk: any number of Nextclouds, each paired with accounts by its addon, or with an installed Talk bot. */
export class NextcloudTalkConnector implements Connector {
  readonly platform = 'nctalk' as const;
  readonly provides: Provides;

  constructor(
    _options: NextcloudTalkOptions,
    { clock, observer, fetches, isOpen, allowsHttp }: NextcloudTalkDeps,
  ) {
    const pairing = new TalkPairing({
      http: new PlatformHttp('Nextcloud', clock, MAX_ANSWER_BYTES, fetches),
      rules: { isOpen, allowsHttp },
      logins: { connected() {}, disconnected() {}, roomsForgotten() {} },
      replays: new ReplayMemory(),
      onFailure: (what, server, reason) => observer.log('warn', what, { server, reason }),
    });
    this.provides = {
      messenger: new NextcloudTalkMessenger(),
      webhooks: new PairingWebhooks(pairing),
      pairing,
    };
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}
}
