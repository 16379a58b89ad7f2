/** Parses a form sent by a browser or an OAuth client. Repeated fields keep all values. */
export function parseForm(body: Uint8Array): URLSearchParams {
  return new URLSearchParams(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
}

/** Names of repeated parameters, which OAuth forbids (RFC 6749, sections 3.1 and 3.2). */
export function repeatedNames(parameters: URLSearchParams): string[] {
  return [...new Set(parameters.keys())].filter((name) => parameters.getAll(name).length > 1);
}
