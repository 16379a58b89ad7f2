import { resourceMetadataUrl } from '../api/authorization/metadata.ts';
import type { Route } from '../api/http/route.ts';
import { mcpPages } from '../api/mcp/browser-pages.ts';
import { LateDoor } from '../api/mcp/late-door.ts';
import { McpCounts } from '../api/mcp/mcp-counts.ts';
import { mcpRoutes } from '../api/mcp/mcp-routes.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { McpDoorNeeds } from './mcp-door-parts.ts';
import type { Parts } from './parts.ts';

interface McpNeeds extends McpDoorNeeds {
  readonly metrics: Metrics;
}

/** The MCP server, and where it stands. */
export function openMcp(parts: Parts, needs: McpNeeds): { door: LateDoor; routes: Route[] } {
  const { settings, clock } = parts;
  const { metrics, publicUrl } = needs;
  const counts = new McpCounts();
  const open = async () => (await import('./mcp-door-parts.ts')).openMcpDoor(parts, needs, counts);
  const door = new LateDoor(open, clock);
  metrics.watchMcp(() => ({ ...counts, sessions: door.sessionCount }));
  const { allowedOrigins } = settings.mcp;
  const pages = mcpPages({ allowedOrigins, host: settings.http.host, publicUrl });
  const metadataUrl = (path: string): string => resourceMetadataUrl(publicUrl(), path);
  return { door, routes: mcpRoutes(door, { pages, metadataUrl }) };
}
