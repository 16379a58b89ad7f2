import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { unreachable } from '../../../base/assert.ts';
import { field, platformJson } from '../../../base/platform-json.ts';
import type { Clock } from '../../../base/time.ts';
import type { TakesWebhooks, WebhookReply, WebhookRequest } from '../../contract/webhooks.ts';
import { isSigned, signedHead } from '../../kit/v0-signature.ts';
import { SocketUrl } from './rtms-protocol.ts';
import type { StreamRegistry } from './stream-registry.ts';

const HEADERS = { signature: 'x-zm-signature', timestamp: 'x-zm-request-timestamp' };
const REFUSED: WebhookReply = { status: 401, text: 'Invalid signature' };
const DONE: WebhookReply = { status: 200, json: {} };
/** Events about meetings are smaller, also those that nobody here asked for. */
const MAX_BYTES = 65_536;
/** RTMS_STOP_REASON: the meeting, or the stream for good. */
const MEETING_ENDED = 6;

const Id = z.string().min(1).max(256);
const Stream = z.object({ meeting_uuid: Id, rtms_stream_id: Id });

/** https://developers.zoom.us/docs/api/rtms/events/ */
const Event = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('endpoint.url_validation'),
    payload: z.object({ plainToken: z.string().max(4_096) }),
  }),
  z.object({
    event: z.literal('meeting.rtms_started'),
    payload: z.object({ ...Stream.shape, operator_id: Id, server_urls: z.string().min(1).max(4_096) }),
  }),
  z.object({ event: z.literal('meeting.rtms_interrupted'), payload: Stream }),
  z.object({
    event: z.literal('meeting.rtms_stopped'),
    payload: z.object({ ...Stream.shape, stop_reason: field(z.number()) }),
  }),
]);

export interface ZoomWebhookOptions {
  /** Zoom's secret token. */
  readonly secret: string;
  /** Of signaling servers: `wss:`, and `ws:` where Zoom's own hosts are replaced by one without TLS. */
  readonly protocols: readonly string[];
}

/** Zoom's events about Realtime Media Streams. Each is answered before anything is done: Zoom soon sends it again. */
export function zoomWebhook(
  { secret, protocols }: ZoomWebhookOptions,
  streams: StreamRegistry,
  clock: Clock,
): TakesWebhooks {
  const headOf = (header: WebhookRequest['header']) =>
    signedHead(HEADERS, header, Date.parse(clock.nowIso()));
  const started = (payload: Started): void => {
    const { meeting_uuid: meetingUuid, rtms_stream_id: streamId, operator_id: userId } = payload;
    const urls = payload.server_urls.split(',').map((each) => each.trim());
    const isOurs = (url: string) =>
      SocketUrl.safeParse(url).success && protocols.includes(new URL(url).protocol);
    const url = urls.find(isOurs);
    if (url !== undefined) streams.started({ meetingUuid, streamId, userId, url });
  };
  const take = ({ event, payload }: z.output<typeof Event>): WebhookReply => {
    switch (event) {
      case 'endpoint.url_validation':
        return { status: 200, json: proofOf(payload.plainToken, secret) };
      case 'meeting.rtms_started':
        started(payload);
        return DONE;
      case 'meeting.rtms_interrupted':
        streams.interrupted(payload.rtms_stream_id);
        return DONE;
      case 'meeting.rtms_stopped': {
        const isOver = payload.stop_reason === MEETING_ENDED;
        const reason = isOver ? 'the meeting is over' : 'Zoom has stopped the stream';
        streams.stopped(payload.rtms_stream_id, reason);
        return DONE;
      }
      default:
        return unreachable(event);
    }
  };
  return {
    endpoints: [{ path: 'webhook', methods: ['post'], answers: 'json', bodyLimitBytes: MAX_BYTES }],
    headers: Object.values(HEADERS),
    refuses: ({ header }) => (headOf(header) === null ? REFUSED : null),
    async webhook({ header, body }) {
      const head = headOf(header);
      if (head === null || !isSigned(head, body, secret)) return REFUSED;
      const { data: event } = Event.safeParse(platformJson(body));
      // Events that nobody asked for are no fault of Zoom's.
      return event === undefined ? DONE : take(event);
    },
  };
}

/** https://developers.zoom.us/docs/api/webhooks/#validate-your-webhook-endpoint */
function proofOf(plainToken: string, secret: string): object {
  return { plainToken, encryptedToken: createHmac('sha256', secret).update(plainToken).digest('hex') };
}

type Started = Extract<z.output<typeof Event>, { event: 'meeting.rtms_started' }>['payload'];
