import type { AttemptLimits } from '../accounts/passwords/attempt-limits.ts';
import type { Platform } from '../base/platform.ts';
import type { Clock } from '../base/time.ts';
import type { Store } from '../store/store.ts';
import type { GrantCache, ResourceUrl } from './grant-cache.ts';

/** What the verbs of the authorization server work with; put together once by the composition root. */
export interface AuthorizationDomain {
  readonly store: Store;
  readonly clock: Clock;
  readonly grants: GrantCache;
  readonly limits: AttemptLimits;
  /** Who we are to clients, without a slash at the end. */
  readonly issuer: () => string;
  /** What tokens are good for. */
  readonly resource: ResourceUrl;
  /** The text behind a URL that a client gave; rejects when there is none, or none that may be read. */
  readonly readDocument: (url: string) => Promise<string>;
  /** Where somebody of the account is logged in. */
  readonly connectedPlatforms: (accountId: string) => Promise<ReadonlySet<Platform>>;
}

/** A code is redeemed by a program, at once. */
export const CODE_MS = 5 * 60_000;
export const ACCESS_TOKEN_MS = 3_600_000;
/** From its last use on. */
export const REFRESH_TOKEN_MS = 30 * 86_400_000;

/** The address of the MCP server under the gateway's own. */
export function mcpUrl(publicUrl: string): string {
  return `${publicUrl}/mcp/`;
}

/** Whether a client means the MCP server by this address; with or without the last slash and a query of its own. */
export function isResource(domain: Pick<AuthorizationDomain, 'resource'>, asked: string): boolean {
  const url = URL.canParse(asked) ? new URL(asked) : null;
  if (url === null || url.hash !== '') return false;
  return `${url.origin}${url.pathname.replace(/\/$/, '')}/` === new URL(domain.resource()).href;
}
