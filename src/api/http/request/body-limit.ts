import type { Route } from '../routing/route.ts';

/** Of a request that anybody may send. Nothing of what comes beyond it is kept. */
export const PUBLIC_BODY_LIMIT_BYTES = 16 * 1024;
const DEFAULT_BODY_LIMIT_BYTES = 1_048_576;

/** The largest body that a route reads: its own limit, else 16 KB from strangers and `knownBytes` from everybody else. */
export function bodyLimitOf(
  { access, bodyLimitBytes }: Pick<Route, 'access' | 'bodyLimitBytes'>,
  knownBytes = DEFAULT_BODY_LIMIT_BYTES,
): number {
  return bodyLimitBytes ?? (access === 'public' ? PUBLIC_BODY_LIMIT_BYTES : knownBytes);
}
