import type { ReplyHeaders } from '../answer/reply.ts';
import type { RequestHead } from '../request/request-head.ts';

/** How long browsers may cache a preflight answer. */
const PREFLIGHT_MAX_AGE_S = 86_400;

/** Rule for pages of other sites that use a route: the allowed origins, request headers and answer headers. */
export interface CrossOrigin {
  /** Throws to refuse a request, before its credential is checked. `origin` is '' if no page sent the request. */
  check(from: { readonly origin: string; readonly host: string }): void;
  /** Request headers that pages may send, separated by commas. */
  readonly sends: string;
  /** Answer headers that pages may read, separated by commas. */
  readonly reads: string;
}

/**
 * Allows pages of any site. This is safe because cookies are not accepted here and pages can send only credentials they
 * know.
 */
export const anyOrigin: CrossOrigin = {
  check() {},
  sends: 'Authorization, Content-Type, Accept, MCP-Protocol-Version, X-Request-Id',
  reads: 'WWW-Authenticate, Retry-After, X-Request-Id',
};

/**
 * Checks a request's origin and throws if it is refused. Returns the headers for all its answers, so that the page can
 * read errors too.
 */
export function crossOriginHeaders(rule: CrossOrigin, request: RequestHead): ReplyHeaders | null {
  const origin = request.getHeader('origin');
  rule.check({ origin, host: request.getHeader('host') });
  if (origin === '') return null;
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': rule.reads,
    Vary: 'Origin',
  };
}

/** The headers for a preflight request. `methods`: the allowed methods, in lower case. */
export function preflightHeaders(
  rule: CrossOrigin,
  methods: Iterable<string>,
  request: RequestHead,
): ReplyHeaders | null {
  const common = crossOriginHeaders(rule, request);
  return (
    common && {
      ...common,
      'Access-Control-Allow-Methods': [...methods].join(', ').toUpperCase(),
      'Access-Control-Allow-Headers': rule.sends,
      'Access-Control-Max-Age': `${PREFLIGHT_MAX_AGE_S}`,
    }
  );
}
