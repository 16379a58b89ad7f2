import type { Route } from '../routing/route.ts';

/** Body limit of public routes. Bytes beyond it are discarded. */
export const PUBLIC_BODY_LIMIT_BYTES = 16 * 1024;
const DEFAULT_BODY_LIMIT_BYTES = 1_048_576;

/** The body limit of a route: its own limit, else 16 KB for public routes and `knownBytes` for all others. */
export function bodyLimitOf(
  { access, bodyLimitBytes }: Pick<Route, 'access' | 'bodyLimitBytes'>,
  knownBytes = DEFAULT_BODY_LIMIT_BYTES,
): number {
  return bodyLimitBytes ?? (access === 'public' ? PUBLIC_BODY_LIMIT_BYTES : knownBytes);
}
