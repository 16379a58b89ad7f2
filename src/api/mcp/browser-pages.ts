import { GatewayError } from '../../base/errors.ts';
import type { CrossOrigin } from '../http/routing/cross-origin.ts';

/** From where the MCP server may be reached. */
export interface McpPagesOptions {
  /** Origins of hosted assistants whose pages may ask from a browser. */
  readonly allowedOrigins: readonly string[];
  /** The address that HTTP listens on. */
  readonly host: string;
  readonly publicUrl: () => string;
}

/** As URLs write them. */
const LOOPBACK_NAME = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/**
 * Specification, "Authentication", rule 4. A gateway that listens on loopback alone also wants to be called by one of its
 * own names: another name that leads here was bent here (DNS rebinding). Its public name is one of its own, because a
 * proxy before it may pass that on; where the gateway listens to the network, names are the network's affair.
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

/** Whether pages of this origin are the gateway's own. On loopback all names of the machine are one. */
function isSameOrigin(origin: string, own: URL): boolean {
  if (origin === own.origin) return true;
  if (!LOOPBACK_NAME.test(own.hostname) || !URL.canParse(origin)) return false;
  const { protocol, hostname, port, origin: plain } = new URL(origin);
  return origin === plain && LOOPBACK_NAME.test(hostname) && protocol === own.protocol && port === own.port;
}

/** A `Host` without its port, and an IPv6 address without its brackets. */
function nameOf(host: string): string {
  const bare = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d*$/, '');
  return bare.toLowerCase();
}
