import type { Issue } from './fault-wording.ts';

type Path = readonly PropertyKey[];

/**
 * Where an input has a null that its schema does not take. Not those in lists, whose items have a place, and not those
 * that a rule of several fields complains about.
 */
export function nullsIn(issues: readonly Issue[], input: unknown, at: Path = []): Path[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...issue.path];
    if (issue.code === 'custom') return [];
    if (isNullField(input, path)) return [path];
    return issue.code === 'invalid_union'
      ? issue.errors.flatMap((choice) => nullsIn(choice, input, path))
      : [];
  });
}

function isNullField(input: unknown, path: Path): boolean {
  let [value, parent] = [input, {} as unknown];
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false;
    [value, parent] = [(value as Record<PropertyKey, unknown>)[step], value];
  }
  return value === null && !Array.isArray(parent);
}

/** A copy of the input without the fields at some paths. The empty path stands for the input itself. */
export function without(paths: readonly Path[], input: unknown): unknown {
  if (input === null) return undefined;
  const copy: unknown = structuredClone(input);
  for (const path of paths) {
    let holder = copy as Record<PropertyKey, unknown>;
    for (const step of path.slice(0, -1)) holder = holder[step] as Record<PropertyKey, unknown>;
    delete holder[path.at(-1)!];
  }
  return copy;
}
