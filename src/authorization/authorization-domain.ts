import type { AttemptLimits } from '../accounts/passwords/attempt-limits.ts';
import type { FairShare } from '../base/fair-share.ts';
import type { Platform } from '../base/platform.ts';
import type { Clock } from '../base/time.ts';
import type { Store } from '../store/store.ts';
import type { GrantCache, ResourceUrl } from './grant-cache.ts';

/** Dependencies of the authorization server, built once by the composition root. */
export interface AuthorizationDomain {
  readonly store: Store;
  readonly clock: Clock;
  readonly grants: GrantCache;
  readonly limits: AttemptLimits;
  /** See `registrationTurn`. */
  readonly registrations: FairShare;
  /** The issuer identifier, without a trailing slash. */
  readonly issuer: () => string;
  /** The resource that tokens are issued for. */
  readonly resource: ResourceUrl;
  /** Fetches the document at a URL that a client gave. Rejects when there is none, or when the URL is not allowed. */
  readonly readDocument: (url: string) => Promise<string>;
  /** Platforms at which the account has a login. */
  readonly connectedPlatforms: (accountId: string) => Promise<ReadonlySet<Platform>>;
}

/** Lifetime of a code. It is short, because a program redeems the code at once. */
export const CODE_MS = 5 * 60_000;
export const ACCESS_TOKEN_MS = 3_600_000;
/** Counted from when the token is issued: each refresh issues a new one. */
export const REFRESH_TOKEN_MS = 30 * 86_400_000;

/** Returns the URL of the MCP server. */
export function mcpUrl(publicUrl: string): string {
  return `${publicUrl}/mcp/`;
}

/** Whether a `resource` parameter names the MCP server. The trailing slash is optional, and a query is ignored. */
export function isResource(domain: Pick<AuthorizationDomain, 'resource'>, asked: string): boolean {
  const url = URL.canParse(asked) ? new URL(asked) : null;
  if (url === null || url.hash !== '') return false;
  return `${url.origin}${url.pathname.replace(/\/$/, '')}/` === new URL(domain.resource()).href;
}
