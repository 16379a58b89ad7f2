/** Reads a Retry-After header (RFC 3261 section 20.33), in milliseconds; null when there is none. */
export function retryAfterMs(text: string | undefined): number | null {
  const seconds = Number.parseInt(text ?? '', 10);
  return seconds >= 0 ? seconds * 1000 : null;
}
