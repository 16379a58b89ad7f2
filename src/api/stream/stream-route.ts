import { Places } from '../../base/places.ts';
import { scopeOf } from '../../base/scope.ts';
import type { CallDomain } from '../../calls/call-domain.ts';
import { liveCall } from '../../calls/find-call.ts';
import type { Authenticate } from '../auth/principal.ts';
import { admit } from '../http/routing/access.ts';
import type { SocketRoute } from '../http/socket/socket.ts';
import { CallStream } from './call-stream.ts';
import { ClientReadPosition } from './client-read-position.ts';
import type { OpenStreams } from './open-streams.ts';

/** About 10 s of 48 kHz audio (specification, "Limits"). */
const MAX_MESSAGE_BYTES = 1_048_576;
/**
 * Limits on open WebSockets per key and per account, to be multiplied by the account's call limit. One call can have
 * 64.
 */
const PER_CALL = { perKey: 2, perAccount: 4 };
const MAX_STREAMS = 20_000;

/** `WS /api/call/{call_id}/stream?api_key=…`. Errors 401, 403, 404 and 429 are answered before the upgrade. */
export function streamRoute(
  calls: CallDomain,
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
    path: '/api/call/{call_id}/stream',
    maxMessageBytes: MAX_MESSAGE_BYTES,
    accept({ params, query, credential }) {
      const principal = admit('runtime', authenticate(query.get('api_key') ?? credential));
      const call = liveCall(calls, principal, params.call_id ?? '');
      places.assertRoom(principal);
      const enlist = (stream: CallStream) => streams.add(principal, stream, places);
      return new CallStream(call, { calls, readPosition, scope: scopeOf(principal), enlist });
    },
  };
}
