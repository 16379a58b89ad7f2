/** Whether a value is as described. */
export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === 'string';
export const isFlag: Check = (value) => typeof value === 'boolean';

export function isOneOf(...values: readonly unknown[]): Check {
  return (value) => values.includes(value);
}

export function isNumber(least: number, most: number): Check {
  return (value) => typeof value === 'number' && value >= least && value <= most;
}

/** The same for a parameter of a URL. */
export function isNumeral(least: number, most: number): Check {
  return (value) =>
    typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) && isNumber(least, most)(Number(value));
}

/** Fields by their names; those that need not be there end with a question mark. */
export type Shape = Readonly<Record<string, Check>>;

/** Returns what is wrong with an object: an unknown field, a missing one, a wrong value. Null: nothing. */
export function faultOf(value: unknown, shape: Shape): string | null {
  if (typeof value !== 'object' || value === null) return 'not an object';
  for (const [name, field] of Object.entries(value)) {
    const check = shape[name] ?? shape[`${name}?`];
    if (check === undefined) return `unknown field ${name}`;
    if (!check(field)) return `${name} may not be ${JSON.stringify(field)}`;
  }
  const missing = Object.keys(shape).find((name) => !name.endsWith('?') && !Object.hasOwn(value, name));
  return missing === undefined ? null : `${missing} is missing`;
}

/** The same for a query. Only parameters in `repeated` may occur several times. */
export function faultOfQuery(
  query: URLSearchParams,
  shape: Shape,
  repeated: readonly string[] = [],
): string | null {
  for (const name of new Set(query.keys()))
    if (query.getAll(name).length > 1 && !repeated.includes(name)) return `${name} occurs twice`;
  for (const name of repeated) {
    const check = shape[`${name}?`];
    if (check && !query.getAll(name).every(check)) return `${name} may not be ${query.getAll(name)}`;
  }
  return faultOf(Object.fromEntries(query), shape);
}
