import * as z from 'zod';
import { Places } from '../../base/places.ts';
import { scopeOf } from '../../base/scope.ts';
import { type Cursor, parseCursor } from '../../store/messages/cursor.ts';
import type { Authenticate } from '../auth/principal.ts';
import { validate } from '../http/request/validation.ts';
import { admit } from '../http/routing/access.ts';
import type { SocketRoute } from '../http/socket/socket.ts';
import { CursorText } from '../schema/inbox.ts';
import { InboxStream, type StreamedFeed } from './inbox-stream.ts';
import type { OpenStreams } from './open-streams.ts';

/** Small, because clients have nothing to send. */
const MAX_MESSAGE_BYTES = 4_096;
/** Limits on open inbox WebSockets. */
const LIMITS = { perKey: 100, perAccount: 500, total: 10_000 };

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
  const places = new Places({ code: 'too_many_streams', what, ...LIMITS, onRefused });
  return {
    path: '/api/inbox/stream',
    maxMessageBytes: MAX_MESSAGE_BYTES,
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
