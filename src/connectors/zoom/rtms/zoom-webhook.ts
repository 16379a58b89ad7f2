import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { unreachable } from '../../../base/assert.ts';
import { field, platformJson } from '../../../base/platform-json.ts';
import type { Clock } from '../../../base/time.ts';
import type { TakesWebhooks, WebhookReply, WebhookRequest } from '../../contract/webhooks.ts';
import { isSigned, type SignedHead, signedHead } from '../../kit/v0-signature.ts';
import { SocketUrl } from './rtms-protocol.ts';
import type { StreamRegistry } from './stream-registry.ts';

const HEADERS = { signature: 'x-zm-signature', timestamp: 'x-zm-request-timestamp' };
const REFUSED: WebhookReply = { status: 401, text: 'Invalid signature' };
const DONE: WebhookReply = { status: 200, json: {} };
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
export class ZoomWebhook implements TakesWebhooks {
  readonly endpoints = [{ path: 'webhook', methods: ['post'], answers: 'json' }] as const;
  readonly headers = Object.values(HEADERS);
  readonly #options: ZoomWebhookOptions;
  readonly #streams: StreamRegistry;
  readonly #clock: Clock;

  constructor(options: ZoomWebhookOptions, streams: StreamRegistry, clock: Clock) {
    this.#options = options;
    this.#streams = streams;
    this.#clock = clock;
  }

  refuses({ header }: Pick<WebhookRequest, 'header'>): WebhookReply | null {
    return this.#headOf(header) === null ? REFUSED : null;
  }

  async webhook({ header, body }: WebhookRequest): Promise<WebhookReply> {
    const head = this.#headOf(header);
    if (head === null || !isSigned(head, body, this.#options.secret)) return REFUSED;
    const { data: event } = Event.safeParse(platformJson(body));
    // Events that nobody asked for are no fault of Zoom's.
    return event === undefined ? DONE : this.#take(event);
  }

  #take({ event, payload }: z.output<typeof Event>): WebhookReply {
    switch (event) {
      case 'endpoint.url_validation':
        return { status: 200, json: this.#proofOf(payload.plainToken) };
      case 'meeting.rtms_started':
        this.#started(payload);
        return DONE;
      case 'meeting.rtms_interrupted':
        this.#streams.interrupted(payload.rtms_stream_id);
        return DONE;
      case 'meeting.rtms_stopped': {
        const isOver = payload.stop_reason === MEETING_ENDED;
        const reason = isOver ? 'the meeting is over' : 'Zoom has stopped the stream';
        this.#streams.stopped(payload.rtms_stream_id, reason);
        return DONE;
      }
      default:
        return unreachable(event);
    }
  }

  #started({ meeting_uuid: meetingUuid, rtms_stream_id: streamId, operator_id, server_urls }: Started): void {
    const url = server_urls
      .split(',')
      .map((each) => each.trim())
      .find(
        (each) =>
          SocketUrl.safeParse(each).success && this.#options.protocols.includes(new URL(each).protocol),
      );
    if (url !== undefined) this.#streams.started({ meetingUuid, streamId, userId: operator_id, url });
  }

  /** https://developers.zoom.us/docs/api/webhooks/#validate-your-webhook-endpoint */
  #proofOf(plainToken: string): object {
    const encryptedToken = createHmac('sha256', this.#options.secret).update(plainToken).digest('hex');
    return { plainToken, encryptedToken };
  }

  #headOf(header: WebhookRequest['header']): SignedHead | null {
    return signedHead(HEADERS, header, Date.parse(this.#clock.nowIso()));
  }
}

type Started = Extract<z.output<typeof Event>, { event: 'meeting.rtms_started' }>['payload'];
