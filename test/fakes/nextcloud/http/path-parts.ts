interface Declared {
  readonly method: string;
  /** `:` stands for something. */
  readonly path: string;
}

export interface Match<Route> {
  readonly route: Route;
  /** What stood for something, decoded, in its order. */
  readonly parts: readonly string[];
}

/** Returns the route of a path, 'no route', or 'wrong method'. What is named counts before what stands for something. */
export function matched<Route extends Declared>(
  routes: readonly Route[],
  method: string,
  path: string,
): Match<Route> | 'no route' | 'wrong method' {
  const given = path.split('/');
  const matches = routes.flatMap((route) => {
    const parts = partsOf(route.path.split('/'), given);
    return parts ? [{ route, parts }] : [];
  });
  const fewest = Math.min(...matches.map(({ parts }) => parts.length));
  const nearest = matches.filter(({ parts }) => parts.length === fewest);
  if (nearest.length === 0) return 'no route';
  return nearest.find(({ route }) => route.method === method) ?? 'wrong method';
}

function partsOf(expected: readonly string[], given: readonly string[]): string[] | null {
  if (expected.length !== given.length) return null;
  const isMatch = expected.every((part, index) => part === ':' || part === given[index]);
  return isMatch ? given.filter((_part, index) => expected[index] === ':').map(decodeURIComponent) : null;
}
