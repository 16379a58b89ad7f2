/** The members of a union that have this value at this key. */
type Having<T, K extends keyof T, V> = T extends unknown
  ? V extends T[K]
    ? T & Readonly<Record<K, V>>
    : never
  : never;

/**
 * Returns what the case for a value makes of it. `key` is what the members of the union differ in. Each member needs a
 * case, so the compiler finds the places that a new member changes. Not for the media path: it allocates.
 */
export function match<T, K extends keyof T, R>(
  value: T,
  key: K,
  cases: { readonly [V in T[K] & PropertyKey]: (value: Having<T, K, V>) => R },
): R {
  return (cases[value[key] as T[K] & PropertyKey] as (value: T) => R)(value);
}
