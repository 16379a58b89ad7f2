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
