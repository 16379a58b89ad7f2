/** A form as browsers and OAuth clients send it; of a field that comes twice, all values. */
export function parseForm(body: Uint8Array): URLSearchParams {
  return new URLSearchParams(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
}

/** Names that come more than once, which none may (RFC 6749, sections 3.1 and 3.2). */
export function repeatedNames(parameters: URLSearchParams): string[] {
  return [...new Set(parameters.keys())].filter((name) => parameters.getAll(name).length > 1);
}
