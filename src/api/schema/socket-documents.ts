import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { Message } from './inbox.ts';
import { AUDIO_FORMATS, type StreamEvent, StreamRequest } from './stream.ts';
import { STREAM_EVENTS, STREAM_REQUESTS } from './stream-examples.ts';

/** What the call WebSocket sends, by type: the fields that every client may rely on. Others may be added. */
const CALL_EVENTS = {
  audio: { audio: z.base64(), timestamp: z.number().optional() },
  audio_config: {
    sample_rate: z.int(),
    native_sample_rate: z.int(),
    resampling: z.boolean(),
    format: z.enum(AUDIO_FORMATS),
    channels: z.literal(1),
    frame_duration_ms: z.int(),
    frame_bytes: z.int(),
    ready: z.literal(true),
  },
  call_state: { state: z.string() },
  call_capabilities: { capabilities: z.array(z.string()), direction: z.string() },
  call_speaking: {
    voice_id: z.int(),
    participant_id: z.string().nullable(),
    name: z.string().nullable(),
    speaking: z.boolean(),
  },
  call_transcript: { speaker: z.string(), text: z.string(), is_final: z.boolean().optional() },
  call_chat: { sender: z.string(), text: z.string(), sent_at: z.string() },
  call_invite: {},
  call_waiting: { reason: z.string() },
  call_progress: { progress: z.string() },
  call_hold: { on_hold: z.boolean() },
  call_meeting: { meeting_url: z.string() },
  call_participants: { participants: z.array(z.looseObject({ id: z.string(), name: z.string() })) },
  call_answered_by: { answered_by: z.string(), confidence: z.number() },
  beep: {},
  hold_music: { playing: z.boolean() },
  speech: { speaker: z.string(), state: z.string() },
  speech_unheard: { speaker: z.string(), reason: z.string() },
  end_of_turn: { speaker: z.string(), reason: z.string(), confidence: z.number() },
  turn_metrics: {
    total_ms: z.number(),
    endpointing_ms: z.number().nullable(),
    recognizer_ms: z.number().nullable(),
    model_ms: z.number().nullable(),
    synthesis_ms: z.number().nullable(),
    playout_ms: z.number().nullable(),
    utterance_id: z.string().nullable(),
  },
  dtmf: { digit: z.string() },
  call_error: { code: z.string(), message: z.string() },
  utterance: { utterance_id: z.string(), state: z.string(), played_ms: z.number(), spoken_text: z.string() },
  transcript_config: { interim: z.boolean() },
  mark: { name: z.string() },
  paused: { played_ms: z.number() },
  resumed: { played_ms: z.number() },
  cleared: { played_ms: z.number(), dropped_ms: z.number() },
} as const satisfies Record<StreamEvent['type'] | 'audio', z.core.$ZodLooseShape>;

const CallEvent = z.union([
  ...Object.entries(CALL_EVENTS).map(([type, shape]) => z.looseObject({ type: z.literal(type), ...shape })),
  z.looseObject({ type: z.string() }).describe('Types may be added: ignore those that you do not know'),
]);

const InboxFrame = z.union([
  z.looseObject({ type: z.literal('ready'), cursor: z.string() }),
  z.looseObject({
    type: z.literal('dm_chat'),
    event_id: z.string(),
    conversation_id: z.string(),
    platform: z.string(),
    message: Message,
    cursor: z.string(),
  }),
  z
    .looseObject({ type: z.string(), event_id: z.string(), cursor: z.string() })
    .describe('Any other event, as in `events` of `GET /api/inbox`'),
]);

/** JSON Schemas of the messages of the WebSockets, by the names of their documents. */
export const SOCKET_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  'call-stream-request': StreamRequest,
  'call-stream-event': CallEvent,
  'talk-stream-event': z.looseObject({ type: z.literal('ringing'), call_id: z.string() }),
  'inbox-stream-event': InboxFrame,
};

const api_key = z.string().optional().describe('The key, for clients that cannot send it in a header');

interface SocketDocument {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Names of the JSON Schemas of its messages. */
  readonly schemas: readonly string[];
  /** Examples of what a client sends. */
  readonly sends: readonly object[];
  readonly receives: readonly object[];
}

/** The request that opens a WebSocket. OpenAPI has no words for its messages: `x-messages` has examples of them. */
function upgrade({ operationId, summary, description, schemas, sends, receives }: SocketDocument) {
  const documents = schemas.map((name) => `\`/schemas/${name}.json\``).join(' and ');
  return {
    operationId,
    summary,
    description: `A WebSocket: send an upgrade request. Its messages are JSON, described by ${documents}.\n\n${description}`,
    tags: ['WebSockets'],
    security: [{ apiKey: [] }, { bearer: [] }],
    responses: {
      101: { description: 'The WebSocket is open' },
      401: { description: 'Invalid or missing API key' },
      426: { description: 'The request is no upgrade' },
      500: { description: 'Internal error' },
    },
    'x-messages': { sends: [...sends], receives: [...receives] },
  };
}

/** The WebSockets, as OpenAPI describes them: by the request that opens each. */
export const SOCKET_PATHS: ZodOpenApiPathsObject = {
  '/api/call/{call_id}/stream': {
    get: {
      ...upgrade({
        operationId: 'openCallStream',
        summary: 'Exchange audio and events of a call',
        description:
          'Binary messages are audio in both directions: 16-bit PCM, little-endian, mono, in the rate of `audio_config`. It closes with 1000 when the call is over.',
        schemas: ['call-stream-request', 'call-stream-event'],
        sends: Object.values(STREAM_REQUESTS),
        receives: Object.values(STREAM_EVENTS),
      }),
      requestParams: { path: z.object({ call_id: z.string() }), query: z.object({ api_key }) },
    },
  },
  '/api/agents/{agent_id}/talk': {
    get: {
      ...upgrade({
        operationId: 'openTalkStream',
        summary: 'Call an agent without a phone',
        description:
          'Binary messages are what both sides say: 16-bit PCM, little-endian, mono. The call rings at the agent, on the platform `sip` with the caller `browser`. It ends when you close; it closes with 1000 when the call is over, and with 1013 when the account takes no more calls.',
        schemas: ['talk-stream-event'],
        sends: [],
        receives: [{ type: 'ringing', call_id: 'call_1' }],
      }),
      requestParams: {
        path: z.object({ agent_id: z.string() }),
        query: z.object({
          api_key,
          sample_rate: z.int().optional().describe('In Hz, from 8,000 to 48,000; 16,000 by default'),
        }),
      },
    },
  },
  '/api/inbox/stream': {
    get: {
      ...upgrade({
        operationId: 'openInboxStream',
        summary: 'Follow all events of the agents of a key',
        description:
          'First comes `ready`; each event has the `cursor` after it. `GET /api/inbox` has the same events.',
        schemas: ['inbox-stream-event'],
        sends: [],
        receives: [{ type: 'ready', cursor: '2026-01-01T12:00:00.000Z|evt_1' }],
      }),
      requestParams: {
        query: z.object({
          api_key,
          last_message_cursor: z
            .string()
            .optional()
            .describe('The `cursor` of the last message that was read, to go on there'),
        }),
      },
    },
  },
};
