import type { FindAddresses } from '../../base/find-addresses.ts';
import type { AddressRule } from '../../base/public-address.ts';
import type { Clock } from '../../base/time.ts';
import type { Bridges } from '../../media/transport.ts';
import type { Connector, Provides } from '../contract/connector.ts';
import type { PlatformRecords } from '../contract/records.ts';
import { NextcloudTalkMessenger } from './nctalk-messenger.ts';
import type { NextcloudTalkObserver } from './nctalk-observer.ts';

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
  /** Without a trailing slash. Known once HTTP listens. */
  readonly publicUrl: () => string;
  readonly bridges: Bridges;
}

/** Nextcloud Talk: any number of Nextclouds, each paired with accounts by its addon, or with an installed Talk bot. */
export class NextcloudTalkConnector implements Connector {
  readonly platform = 'nctalk' as const;
  readonly provides: Provides;

  constructor(_options: NextcloudTalkOptions, _deps: NextcloudTalkDeps) {
    this.provides = { messenger: new NextcloudTalkMessenger() };
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}
}
