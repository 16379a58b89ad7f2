import { resourceMetadataUrl } from '../api/authorization/metadata.ts';
import type { Route } from '../api/http/routing/route.ts';
import { mcpPages } from '../api/mcp/browser-pages.ts';
import { LazyServer } from '../api/mcp/lazy-server.ts';
import { McpCounts } from '../api/mcp/mcp-request.ts';
import { mcpRoutes } from '../api/mcp/mcp-routes.ts';
import type { PartDeps } from './gateway-deps.ts';
import type { McpEndpointNeeds } from './mcp-endpoint-deps.ts';

/** Creates the MCP server and its routes. */
export function openMcp(deps: PartDeps, needs: McpEndpointNeeds): { server: LazyServer; routes: Route[] } {
  const { settings, clock, metrics, publicUrl } = deps;
  const counts = new McpCounts();
  const open = async () => (await import('./mcp-endpoint-deps.ts')).openMcpEndpoint(deps, needs, counts);
  const server = new LazyServer(open, clock);
  metrics.watchMcp(() => ({ ...counts, sessions: server.sessionCount }));
  const { allowedOrigins } = settings.mcp;
  const pages = mcpPages({ allowedOrigins, host: settings.http.host, publicUrl });
  const metadataUrl = (path: string): string => resourceMetadataUrl(publicUrl(), path);
  return { server, routes: mcpRoutes(server, { pages, metadataUrl }) };
}
