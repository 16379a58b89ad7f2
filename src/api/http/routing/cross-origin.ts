import type { ReplyHeaders } from '../answer/reply.ts';
import type { RequestHead } from '../request/request-head.ts';

/** How long browsers may remember what a preflight said. */
const REMEMBERED_S = 86_400;

/** Pages of other sites may use a route from a browser: which ones, and what of its requests and answers is theirs. */
export interface CrossOrigin {
  /** Refuses a request by throwing, before its credential is looked at. `origin` is '' where no page has sent it. */
  check(from: { readonly origin: string; readonly host: string }): void;
  /** Request headers that pages may send, with commas between. */
  readonly sends: string;
  /** Answer headers that they may read. */
  readonly reads: string;
}

/** Pages of any site may ask: what they do not know they cannot send, and cookies count for nothing here. */
export const anyOrigin: CrossOrigin = {
  check() {},
  sends: 'Authorization, Content-Type, Accept, MCP-Protocol-Version, X-Request-Id',
  reads: 'WWW-Authenticate, Retry-After, X-Request-Id',
};

/** Lets a request in or throws; returns what all its answers carry, so that the page hears of refusals too. */
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

/** The same for a browser that asks beforehand; `methods`, in lower case, are what it may use. */
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
      'Access-Control-Max-Age': `${REMEMBERED_S}`,
    }
  );
}
