import { Places } from '../../base/places.ts';
import type { Principal } from '../auth/principal.ts';
import type { McpRequest } from './mcp-request.ts';

/** Whether all agents of a principal are among these. */
export function isWithin(principal: Principal, agentIds: readonly string[]): boolean {
  return agentIds.length > 0 && principal.agentIds.every((agentId) => agentIds.includes(agentId));
}

/** Open streams: pushes, `subscriptions/listen`, and answers in sessions. */
const LIMITS = { perKey: 500, perAccount: 1_000, total: 10_000 };

export function streamPlaces(onRefused: () => void): Places {
  return new Places({ code: 'too_many_streams', what: 'MCP streams may be open', ...LIMITS, onRefused });
}

/** Reserves a stream for a request, until it is released or the client disconnects. */
export function streamPlace(places: Places, { principal, signal }: McpRequest): () => void {
  places.assertRoom(principal);
  const leavePlace = places.take(principal);
  const leave = (): void => {
    signal.removeEventListener('abort', leave);
    leavePlace();
  };
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave);
  return leave;
}
