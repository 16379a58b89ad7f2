import * as z from 'zod';
import type { LibOpus } from '../../audio/libopus.ts';
import { GatewayError } from '../../base/errors.ts';
import { MAX_SAMPLE_RATE_HZ, MIN_SAMPLE_RATE_HZ } from '../../base/frame.ts';
import { Places } from '../../base/places.ts';
import { PHONE_PLATFORM } from '../../base/platform.ts';
import { reaches, scopeOf } from '../../base/scope.ts';
import { type CallDomain, liveCall } from '../../calls/call-domain.ts';
import { type Cursor, parseCursor } from '../../store/messages/cursor.ts';
import type { Authenticate } from '../auth/principal.ts';
import { validate } from '../http/request/validation.ts';
import { admit } from '../http/routing/access.ts';
import type { SocketRoute } from '../http/socket/socket.ts';
import { wholeNumber } from '../schema/fields.ts';
import { CursorText } from '../schema/inbox.ts';
import { CallStream } from './call-stream.ts';
import { CALL_PACE, CALL_STREAM_PATH, MAX_MESSAGE_BYTES } from './call-stream-limits.ts';
import { ClientReadPosition } from './client-read-position.ts';
import { InboxStream, type StreamedFeed } from './inbox-stream.ts';
import type { OpenStreams } from './open-streams.ts';
import { TalkStream } from './talk-stream.ts';

/**
 * Limits on open WebSockets per key and per account, to be multiplied by the account's call limit. One call can have
 * 64.
 */
const PER_CALL = { perKey: 2, perAccount: 4 };
const MAX_STREAMS = 20_000;

/**
 * `WS /api/call/{call_id}/stream?api_key=…`. Errors 401, 403, 404 and 429 are answered before the upgrade. `opus`: this
 * thread's library.
 */
export function streamRoute(
  { calls, opus }: { readonly calls: CallDomain; readonly opus: () => LibOpus },
  authenticate: Authenticate,
  streams: OpenStreams,
  onRefused: () => void,
): SocketRoute {
  const places = new Places({
    code: 'too_many_streams',
    what: 'call WebSockets may be open',
    perKey: PER_CALL.perKey * calls.maxCallsPerAccount,
    perAccount: PER_CALL.perAccount * calls.maxCallsPerAccount,
    total: MAX_STREAMS,
    onRefused,
  });
  const readPosition = new ClientReadPosition(calls.clock);
  return {
    path: CALL_STREAM_PATH,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    pace: CALL_PACE,
    accept({ params, query, credential }) {
      const principal = admit('runtime', authenticate(query.get('api_key') ?? credential));
      const call = liveCall(calls, principal, params.call_id ?? '');
      places.assertRoom(principal);
      const enlist = (stream: CallStream) => streams.add(principal, stream, places);
      return new CallStream(call, { calls, readPosition, opus, scope: scopeOf(principal), enlist });
    },
  };
}

const TalkQuery = z.object({
  sample_rate: wholeNumber(MIN_SAMPLE_RATE_HZ, MAX_SAMPLE_RATE_HZ).default(16_000),
});

/**
 * `WS /api/agents/{agent_id}/talk?sample_rate=…`: a call to the agent, from a browser for example. Binary messages are PCM
 * in both directions. Errors 401, 403, 404, 422 and 429 are answered before the upgrade.
 */
export function talkRoute(
  calls: CallDomain,
  authenticate: Authenticate,
  streams: OpenStreams,
  onRefused: () => void,
): SocketRoute {
  const most = calls.maxCallsPerAccount;
  const places = new Places({
    code: 'too_many_streams',
    what: 'calls by WebSocket may be open',
    perKey: most,
    perAccount: most,
    total: MAX_STREAMS,
    onRefused,
  });
  return {
    path: '/api/agents/{agent_id}/talk',
    maxMessageBytes: MAX_MESSAGE_BYTES,
    pace: CALL_PACE,
    accept({ params, query, credential }) {
      const principal = admit('runtime', authenticate(query.get('api_key') ?? credential));
      const scope = scopeOf(principal);
      const agentId = params.agent_id ?? '';
      if (!scope.agentIds.includes(agentId)) throw new GatewayError('agent_not_found');
      if (!reaches(scope, PHONE_PLATFORM))
        throw new GatewayError('forbidden', 'The key has no access to phone calls');
      const given = { sample_rate: query.get('sample_rate') ?? undefined };
      const { sample_rate } = validate(TalkQuery, 'query', given) as z.output<typeof TalkQuery>;
      places.assertRoom(principal);
      const enlist = (stream: TalkStream) => streams.add(principal, stream, places);
      return new TalkStream({ calls, scope, agentId, sampleRateHz: sample_rate, enlist });
    },
  };
}

/** Small, because clients have nothing to send. */
const MAX_INBOX_MESSAGE_BYTES = 4_096;
const INBOX_PACE = { most: 100, perSecond: 50 };
/** Limits on open inbox WebSockets. */
const INBOX_LIMITS = { perKey: 100, perAccount: 500, total: 10_000 };

const Query = z.object({ last_message_cursor: CursorText.default('') });

/**
 * `WS /api/inbox/stream?api_key=…&last_message_cursor=…`. Errors 401, 403, 422 and 429 are answered before the upgrade.
 * The first frame is `ready`, followed by all events of the key's agents, each with the cursor after it.
 */
export function inboxStreamRoute(
  feed: Pick<StreamedFeed, 'reading' | 'wakeups' | 'onFailure'>,
  authenticate: Authenticate,
  streams: OpenStreams,
  onRefused: () => void,
): SocketRoute {
  const what = 'inbox WebSockets may be open';
  const places = new Places({ code: 'too_many_streams', what, ...INBOX_LIMITS, onRefused });
  return {
    path: '/api/inbox/stream',
    maxMessageBytes: MAX_INBOX_MESSAGE_BYTES,
    pace: INBOX_PACE,
    accept({ query, credential }) {
      const principal = admit('runtime', authenticate(query.get('api_key') ?? credential));
      const cursor = cursorIn(query);
      places.assertRoom(principal);
      return new InboxStream({
        ...feed,
        scope: scopeOf(principal),
        cursor,
        enlist: (stream) => streams.add(principal, stream, places),
      });
    },
  };
}

function cursorIn(query: URLSearchParams): Cursor | null {
  const given = { last_message_cursor: query.get('last_message_cursor') ?? undefined };
  const { last_message_cursor: text } = validate(Query, 'query', given) as z.output<typeof Query>;
  return text === '' ? null : parseCursor(text);
}
