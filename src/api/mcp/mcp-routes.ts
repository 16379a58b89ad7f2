import type { CrossOrigin } from '../http/cross-origin.ts';
import type { Route } from '../http/route.ts';
import type { McpDoor } from './mcp-door.ts';
import { MCP_HEADERS, McpQuery } from './mcp-request.ts';

/** What a client hears of the door before it is let in. */
export interface McpAddress {
  readonly pages: CrossOrigin;
  /** Where it is told how to be let in (RFC 9728), by the path that it came to. */
  readonly metadataUrl: (path: string) => string;
}

/**
 * `/mcp`, with and without a slash at the end: Streamable HTTP. MCP describes itself to its clients, so the OpenAPI
 * description leaves it out, and answers are of whatever status the protocol wants.
 */
export function mcpRoutes(
  door: Pick<McpDoor, 'post' | 'get' | 'delete'>,
  { pages, metadataUrl }: McpAddress,
): Route[] {
  const common = {
    path: '/mcp',
    access: 'mcp',
    tags: ['MCP'],
    headers: MCP_HEADERS,
    query: McpQuery,
    crossOrigin: pages,
    challenge: (path: string) => `Bearer resource_metadata="${metadataUrl(path)}"`,
    idempotency: 'none',
    responses: {},
  } as const;
  return [
    {
      ...common,
      method: 'post',
      operationId: 'mcpPost',
      summary: 'Tell the MCP server something, or ask it',
      body: 'raw',
      handler: (request) => door.post(request),
    },
    {
      ...common,
      method: 'get',
      operationId: 'mcpGet',
      summary: 'Hear what the MCP server tells a session',
      handler: (request) => door.get(request),
    },
    {
      ...common,
      method: 'delete',
      operationId: 'mcpDelete',
      summary: 'End a session',
      handler: (request) => door.delete(request),
    },
  ];
}
