/** Codes of requests that never left, or that failed before the server read their first byte. */
const NEVER_ARRIVED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|\w*CERT\w*|\w*SIGNATURE\w*)$/;

/**
 * Returns the system's code of a failed request, such as `ECONNRESET`; '' without one. `fetch` wraps the system's error,
 * which may be one error per address of the host.
 */
export function networkCode(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown; errors?: readonly { code?: unknown }[] } };
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : '';
}

/** Whether nothing of a request that failed with this code reached the other side. */
export function neverArrived(code: string): boolean {
  return NEVER_ARRIVED.test(code);
}

/** Codes of connections that ended before an answer: mostly, the other side had just given up one that was idle. */
const ENDED: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Whether a request that failed with this code lost its connection before it was answered. */
export function hasEnded(code: string): boolean {
  return ENDED.has(code);
}
