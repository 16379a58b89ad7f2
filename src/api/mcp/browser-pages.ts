import { GatewayError } from '../../base/errors.ts';
import type { CrossOrigin } from '../http/routing/cross-origin.ts';

/** Origins and host names under which the MCP server may be used. */
export interface McpPagesOptions {
  /** Origins of hosted assistants that connect from a browser. */
  readonly allowedOrigins: readonly string[];
  /** The HTTP listening address. */
  readonly host: string;
  readonly publicUrl: () => string;
}

/** Loopback names as written in URLs. */
const LOOPBACK_NAME = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/**
 * The rule for browser requests (specification, "Authentication", rule 4). A gateway that listens only on loopback also
 * requires one of its own names as host, because any other name that resolves to it is DNS rebinding. The public name
 * counts as its own, because a reverse proxy may pass it on. A gateway that listens on the network does not check
 * names.
 */
export function mcpPages({ allowedOrigins, host, publicUrl }: McpPagesOptions): CrossOrigin {
  const listed = new Set(allowedOrigins);
  const isLocal = LOOPBACK.test(host);
  const isOwn = (name: string): boolean =>
    LOOPBACK.test(name) || name === host.toLowerCase() || name === nameOf(new URL(publicUrl()).host);
  return {
    check({ origin, host: named }) {
      if (origin !== '' && !listed.has(origin) && !isSameOrigin(origin, new URL(publicUrl())))
        throw new GatewayError('invalid_origin');
      if (isLocal && !isOwn(nameOf(named))) throw new GatewayError('invalid_host');
    },
    sends:
      'Authorization, X-API-Key, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, X-Request-Id',
    reads: 'Mcp-Session-Id, WWW-Authenticate, Retry-After, X-Request-Id',
  };
}

/** Whether an origin is the gateway's own. On loopback, all names of the machine are equivalent. */
function isSameOrigin(origin: string, own: URL): boolean {
  if (origin === own.origin) return true;
  if (!LOOPBACK_NAME.test(own.hostname) || !URL.canParse(origin)) return false;
  const { protocol, hostname, port, origin: plain } = new URL(origin);
  return origin === plain && LOOPBACK_NAME.test(hostname) && protocol === own.protocol && port === own.port;
}

/** The host name of a `Host` header, without the port and without the brackets of an IPv6 address. */
function nameOf(host: string): string {
  const bare = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d*$/, '');
  return bare.toLowerCase();
}
