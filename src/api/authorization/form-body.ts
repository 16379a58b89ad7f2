/** A form as browsers and OAuth clients send it; of a field that comes twice, all values. */
export function parseForm(body: Uint8Array): URLSearchParams {
  return new URLSearchParams(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
}

/** The fields of a form none of which may come twice (RFC 6749, section 3.2); null when one does. */
export function singleFields(form: URLSearchParams): Record<string, string> | null {
  const names = [...form.keys()];
  return new Set(names).size === names.length ? Object.fromEntries(form) : null;
}
