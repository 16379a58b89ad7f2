/** A parameter of a URL. A list is repeated; null and an empty text are left out. */
export type QueryValue = string | number | boolean | readonly string[] | null;

/** Returns the WebSocket URL of a path on a vendor's host. `origin` is that of its HTTP API. */
export function socketUrl(origin: string, path: string, query: Readonly<Record<string, QueryValue>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const each of value) parameters.append(name, each);
    else if (value !== null && value !== '') parameters.append(name, `${value}`);
  }
  // Not every vendor reads + as a space.
  return `${origin.replace(/^http/, 'ws')}${path}?${parameters.toString().replaceAll('+', '%20')}`;
}
