import * as z from 'zod';
import type { Principal } from '../auth/principal.ts';
import type { RouteRequest } from '../http/routing/route.ts';

/** A request to `/mcp`. */
export type McpRequest = RouteRequest<Principal, unknown, McpQuery, Uint8Array | undefined>;

/** `?stateful`, with or without a value, asks for a session. */
export const McpQuery = z.object({ stateful: z.string().optional() });
export type McpQuery = z.output<typeof McpQuery>;

/** Request headers that MCP uses. */
export const MCP_HEADERS = [
  'accept',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
] as const;

export const SESSION_HEADER = 'Mcp-Session-Id';

/** Why a session ended. */
export type SessionEnd = 'deleted' | 'idle' | 'revoked' | 'displaced';

/** Counts requests and sessions of `/mcp`, for the metrics. */
export class McpCounts {
  /** Requests answered without the SDK, and by it. */
  fast = 0;
  sdk = 0;
  /** Sessions refused because of the limit. */
  refused = 0;
  /** Streams refused because of the limit. */
  streamsRefused = 0;
  readonly ended = new Map<SessionEnd, number>();

  sessionEnded(why: SessionEnd): void {
    this.ended.set(why, (this.ended.get(why) ?? 0) + 1);
  }
}
