import type { Connector, Provides } from '../contract/connector.ts';
import type { DialsSip } from '../contract/sip-dialing.ts';
import { ZoomCalls } from './calls/zoom-calls.ts';
import { type ZoomApp, ZoomOAuth, type ZoomUrls } from './oauth/zoom-oauth.ts';

export interface ZoomOptions {
  readonly urls: ZoomUrls;
  /** Null: the operator has not set it up. */
  readonly app: ZoomApp | null;
}

/** Zoom: meetings by SIP. Accounts connect by OAuth. */
export class ZoomConnector implements Connector {
  readonly platform = 'zoom' as const;
  readonly provides: Provides;

  constructor({ urls, app }: ZoomOptions, sip: DialsSip) {
    this.provides = { calls: new ZoomCalls(sip), oauth: new ZoomOAuth(urls, app) };
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}
}
