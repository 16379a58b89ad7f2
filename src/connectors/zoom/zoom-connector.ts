import type { Clock } from '../../base/time.ts';
import type { Connector, Provides } from '../contract/connector.ts';
import type { DialsSip } from '../contract/sip-dialing.ts';
import { PhoneMeetings } from '../kit/phone-meetings.ts';
import { ZoomApi } from './api/zoom-api.ts';
import { ZoomDirectory } from './calls/zoom-directory.ts';
import { type ZoomApp, ZoomOAuth, type ZoomUrls } from './oauth/zoom-oauth.ts';

export interface ZoomOptions {
  readonly urls: ZoomUrls;
  /** Null: the operator has not set it up. */
  readonly app: ZoomApp | null;
  /** The operator's dial-in number, in E.164; null: none. */
  readonly dialIn: string | null;
}

export interface ZoomDeps {
  readonly clock: Clock;
  readonly sip: DialsSip;
}

/** Zoom: meetings by SIP and by phone. Accounts connect by OAuth, which finds the ways into their meetings. */
export class ZoomConnector implements Connector {
  readonly platform = 'zoom' as const;
  readonly provides: Provides;

  constructor({ urls, app, dialIn }: ZoomOptions, { clock, sip }: ZoomDeps) {
    const api = new ZoomApi(urls.api, clock);
    const oauth = new ZoomOAuth(urls, app, (tokens) => api.onConnections(tokens));
    this.provides = { oauth, calls: new PhoneMeetings(new ZoomDirectory(api, dialIn), sip) };
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}
}
