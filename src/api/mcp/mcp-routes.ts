import type { CrossOrigin } from '../http/routing/cross-origin.ts';
import type { Route } from '../http/routing/route.ts';
import type { McpEndpoint } from './mcp-endpoint.ts';
import { MCP_HEADERS, McpQuery } from './mcp-request.ts';

/** Information for unauthenticated clients. */
export interface McpAddress {
  readonly pages: CrossOrigin;
  /** URL of the protected resource metadata (RFC 9728) for the requested path. */
  readonly metadataUrl: (path: string) => string;
}

/** `/mcp` and `/mcp/`: Streamable HTTP. MCP describes itself, so the OpenAPI document leaves it out. */
export function mcpRoutes(
  endpoint: Pick<McpEndpoint, 'post' | 'get' | 'delete'>,
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
      summary: 'Send a message to the MCP server',
      body: 'raw',
      handler: (request) => endpoint.post(request),
    },
    {
      ...common,
      method: 'get',
      operationId: 'mcpGet',
      summary: 'Open the event stream of a session',
      handler: (request) => endpoint.get(request),
    },
    {
      ...common,
      method: 'delete',
      operationId: 'mcpDelete',
      summary: 'End a session',
      handler: (request) => endpoint.delete(request),
    },
  ];
}
