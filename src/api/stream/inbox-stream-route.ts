import * as z from 'zod';
import { GatewayError } from '../../base/errors.ts';
import { scopeOf } from '../../base/scope.ts';
import { type Cursor, parseCursor } from '../../messaging/cursor.ts';
import type { Authenticate } from '../auth/principal.ts';
import { admit } from '../http/access.ts';
import type { SocketRoute } from '../http/socket.ts';
import { validate } from '../http/validation.ts';
import { CursorText } from '../schema/inbox.ts';
import { InboxStream, type StreamedFeed } from './inbox-stream.ts';
import type { OpenStreams } from './open-streams.ts';

/** Clients have nothing to say. */
const MAX_MESSAGE_BYTES = 4_096;
/** Of one credential, calls included. */
const MAX_STREAMS = 100;

const Query = z.object({ last_message_cursor: CursorText.default('') });

/**
 * `WS /api/inbox/stream?api_key=…&last_message_cursor=…`: 401, 403, 422 and 429 are answered before the upgrade. The
 * first frame is `ready`; then come all events of the key's agents, each with the cursor that it leads to.
 */
export function inboxStreamRoute(
  feed: Pick<StreamedFeed, 'reading' | 'wakeups' | 'onFailure'>,
  authenticate: Authenticate,
  streams: OpenStreams,
): SocketRoute {
  return {
    path: '/api/inbox/stream',
    maxMessageBytes: MAX_MESSAGE_BYTES,
    accept({ query, credential }) {
      const principal = admit('runtime', authenticate(query.get('api_key') ?? credential));
      const { credentialId } = principal;
      const cursor = cursorIn(query);
      if (streams.countOf(credentialId) >= MAX_STREAMS)
        throw new GatewayError('too_many_streams', 'Too many streams are open');
      return new InboxStream({
        ...feed,
        scope: scopeOf(principal),
        cursor,
        enlist: (stream) => streams.add(credentialId, stream),
      });
    },
  };
}

function cursorIn(query: URLSearchParams): Cursor | null {
  const given = { last_message_cursor: query.get('last_message_cursor') ?? undefined };
  const { last_message_cursor: text } = validate(Query, 'query', given) as z.output<typeof Query>;
  return text === '' ? null : parseCursor(text);
}
