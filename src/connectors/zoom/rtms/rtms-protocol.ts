import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { field, platformJson } from '../../../base/platform-json.ts';
import type { Registration } from '../../kit/oauth-platform.ts';

/** A stream of a meeting, as its webhook names it. */
export interface StreamId {
  readonly meetingUuid: string;
  readonly streamId: string;
}

/** What a stream carries that calls want; the names are those of its media servers. */
export const MEDIA_KINDS = { transcript: 8, chat: 16 } as const;
export type MediaKind = keyof typeof MEDIA_KINDS;

const PROTOCOL = { protocol_version: 1, sequence: 1 };
/** MEDIA_CONTENT_TYPE: text. */
const TEXT = { content_type: 5 };
/** RTMS_EVENT_TYPE. */
export const EVENTS = { activeSpeaker: 2, joined: 3, left: 4, mediaInterrupted: 7 } as const;
/** RTMS_STATUS_CODE (https://developers.zoom.us/docs/rtms/data-types/): the server still has a connection of ours, or failed itself. Another try may do. */
const PASSING: ReadonlySet<number> = new Set([8, 15, 16, 45]);
/** RTMS_STREAM_STATE. */
export const TERMINATED = 4;
/** Microseconds and milliseconds both occur; the latter have 13 digits until 2286. */
const MICROSECONDS_FROM = 1e14;

const Id = z.union([z.number().int(), z.string().min(1).max(256)]).transform(String);
const Name = field(z.string().max(4_096));
const Time = z
  .number()
  .nonnegative()
  .max(MICROSECONDS_FROM * 100)
  .transform((time) => (time >= MICROSECONDS_FROM ? time / 1_000 : time));

const Person = z.object({ user_id: Id, user_name: Name });
export type RtmsPerson = z.output<typeof Person>;

const ChatContent = z.object({
  data: field(z.string()),
  timestamp: field(Time),
  message_id: field(z.string().min(1).max(256)),
  /** 1: a new message. Others change one. */
  operation_type: field(z.number()),
  /** `type` 1: to everyone. Others are for some. */
  chat_session: field(z.object({ type: z.number() })),
  sender: field(Person),
  user_id: field(Id),
  user_name: Name,
  files: field(z.array(z.object({ file_name: z.string() }))),
});
export type RtmsChat = z.output<typeof ChatContent>;

/** A URL that a WebSocket can be opened to, which throws otherwise. */
export const SocketUrl = z.url({ protocol: /^wss?$/ }).refine((url) => !url.includes('#'));

const Answer = { status_code: z.number().int(), reason: field(z.string()) };

/** What RTMS servers send, as far as calls want it (https://developers.zoom.us/docs/rtms/event-reference/). */
const Message = z.discriminatedUnion('msg_type', [
  z.object({
    msg_type: z.literal(2),
    ...Answer,
    media_server: field(z.object({ server_urls: z.record(z.string(), field(SocketUrl)) })),
  }),
  z.object({ msg_type: z.literal(4), ...Answer }),
  z.object({
    msg_type: z.literal(6),
    event: z.object({
      event_type: z.number().int(),
      user_id: field(Id),
      user_name: Name,
      participants: field(z.array(Person)),
      media_type: field(z.number()),
    }),
  }),
  z.object({ msg_type: z.literal(8), state: z.number().int(), reason: field(z.number()) }),
  z.object({ msg_type: z.literal(12), timestamp: z.number() }),
  z.object({
    msg_type: z.literal(17),
    content: z.object({ ...Person.shape, data: z.string(), start_time: field(Time), timestamp: field(Time) }),
  }),
  z.object({ msg_type: z.literal(18), content: z.preprocess(unwrapped, ChatContent) }),
]);

export type RtmsMessage = z.output<typeof Message>;
/** Everything after the handshake, but for keep-alives. */
export type RtmsNews = Exclude<RtmsMessage, { msg_type: 2 | 4 | 12 }>;
export type RtmsEvent = Extract<RtmsMessage, { msg_type: 6 }>['event'];
export type RtmsTranscript = Extract<RtmsMessage, { msg_type: 17 }>['content'];

/** Null: nothing that calls want. */
export function readRtms(text: string): RtmsMessage | null {
  return Message.safeParse(platformJson(text)).data ?? null;
}

export function mayPass(status: number): boolean {
  return PASSING.has(status);
}

/** The first message to the signaling server. What was said before is not wanted: the agent was not there. */
export function signalingHello(id: StreamId, app: Registration): object {
  return { msg_type: 1, ...PROTOCOL, ...signed(id, app), buffer_data: false };
}

/** The first message to a media server. */
export function mediaHello(id: StreamId, app: Registration, kind: MediaKind): object {
  const params = { media_params: { [kind]: TEXT }, payload_encryption: false };
  return { msg_type: 3, ...PROTOCOL, ...signed(id, app), media_type: MEDIA_KINDS[kind], ...params };
}

export function subscription(): object {
  const wanted = [EVENTS.activeSpeaker, EVENTS.joined, EVENTS.left];
  return { msg_type: 5, events: wanted.map((event_type) => ({ event_type, subscribe: true })) };
}

export function ready({ streamId }: StreamId): object {
  return { msg_type: 7, rtms_stream_id: streamId };
}

export function keptAlive(timestamp: number): object {
  return { msg_type: 13, timestamp };
}

/** https://developers.zoom.us/docs/rtms/meetings/work-with-streams/ */
function signed({ meetingUuid, streamId }: StreamId, { clientId, clientSecret }: Registration): object {
  const signature = createHmac('sha256', clientSecret)
    .update(`${clientId},${meetingUuid},${streamId}`)
    .digest('hex');
  return { meeting_uuid: meetingUuid, rtms_stream_id: streamId, signature };
}

const Wrapped = z.object({ data: z.string(), message_id: z.undefined().optional() });

/** Some servers put the fields of a message into `data`, as JSON. Beside fields of its own, JSON is what somebody wrote. */
function unwrapped(content: unknown): unknown {
  const { data } = Wrapped.safeParse(content).data ?? {};
  const inner = data?.startsWith('{') ? platformJson(data) : undefined;
  const isMessage = z.looseObject({ message_id: z.string() }).safeParse(inner).success;
  return isMessage ? { ...(content as object), ...(inner as object) } : content;
}
