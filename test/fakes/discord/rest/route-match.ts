import { isSnowflake } from '../world/snowflakes.ts';
import { invalidField, REFUSALS } from './discord-error.ts';
import type { Route } from './route.ts';

/** The route of a request with the ids in its path; throws when there is none. */
export function matchRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { readonly route: Route; readonly ids: readonly string[] } {
  const matches = routes.flatMap((route) => {
    const ids = idsOf(route, path);
    return ids ? [{ route, ids }] : [];
  });
  // What is named counts before what stands for an id.
  const fewest = Math.min(...matches.map(({ ids }) => ids.length));
  const nearest = matches.filter(({ ids }) => ids.length === fewest);
  if (nearest.length === 0) throw REFUSALS.notFound();
  const found = nearest.find(({ route }) => route.method === method);
  if (!found) throw REFUSALS.wrongMethod();
  const open = found.route.path.split('/').filter((part) => part === ':' || part === '*');
  const wrong = found.ids.find((id, n) => open[n] === ':' && !isSnowflake(id));
  if (wrong !== undefined) {
    const message = `Value "${wrong}" is not snowflake.`;
    throw invalidField(['id'], { code: 'NUMBER_TYPE_COERCE', message });
  }
  return found;
}

function idsOf({ path }: Route, given: string): string[] | null {
  const expected = path.split('/');
  const parts = given.split('/');
  if (parts.length !== expected.length) return null;
  const isMatch = expected.every((part, index) => isOpen(part) || part === parts[index]);
  return isMatch ? parts.filter((_part, index) => isOpen(expected[index]!)) : null;
}

/** `:` stands for an id, `*` for any text. */
function isOpen(part: string): boolean {
  return part === ':' || part === '*';
}
