import type { ReadingTime } from '../../base/reading-time.ts';
import type { Clock } from '../../base/time.ts';
import type { Connector } from '../contract/connector.ts';
import type { ConnectsByOAuth } from '../contract/oauth.ts';
import type { Registration } from '../kit/oauth-platform.ts';
import { PhoneMeetings, type PhoneMeetingsDeps } from '../kit/phone-meetings.ts';
import { ZoomApi } from './api/zoom-api.ts';
import { zoomDirectory } from './calls/zoom-directory.ts';
import { type ZoomUrls, zoomOAuth } from './oauth/zoom-oauth.ts';
import { StreamRegistry } from './rtms/stream-registry.ts';
import { CallStreams } from './rtms/streamed-call.ts';
import { zoomWebhook } from './rtms/zoom-webhook.ts';

export interface ZoomOptions {
  readonly urls: ZoomUrls;
  /** Null: the operator has not set it up. */
  readonly app: Registration | null;
  /** With which Zoom signs its events. Null: there are no streams beside the audio. */
  readonly webhookSecret: string | null;
  /** The operator's dial-in number, in E.164; null: none. */
  readonly dialIn: string | null;
}

export interface ZoomDeps extends PhoneMeetingsDeps {
  readonly clock: Clock;
  readonly readingTime: ReadingTime;
}

/**
 * Zoom: meetings by SIP and by phone. Accounts connect by OAuth, which finds the ways into their meetings. Realtime Media
 * Streams tell who is there, what is said and written.
 */
export function zoomConnector(options: ZoomOptions, { clock, readingTime, sip, log }: ZoomDeps): Connector {
  const { urls, app, dialIn, webhookSecret: secret } = options;
  const api = new ZoomApi(urls.api, clock);
  const registry = app && secret !== null ? new StreamRegistry({ app, clock, readingTime, log }) : null;
  const streams = registry && new CallStreams(registry);
  const oauth: ConnectsByOAuth = {
    ...zoomOAuth(urls, app),
    onConnections: (tokens) => api.onConnections(tokens),
    connected: (connection) => streams?.connected(connection),
    disconnected: (connectionId) => streams?.disconnected(connectionId),
  };
  const calls = new PhoneMeetings(zoomDirectory(api, dialIn, streams), { sip, log });
  const protocols = urls.api.startsWith('http:') ? ['wss:', 'ws:'] : ['wss:'];
  const webhooks = registry && secret !== null && zoomWebhook({ secret, protocols }, registry, clock);
  return {
    platform: 'zoom',
    provides: { oauth, calls, ...(webhooks && { webhooks }) },
    start: async () => {},
    close: async () => registry?.close(),
  };
}
