const MAX_LENGTH = 2_048;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Whether a client may have people sent there: by https, or by http to the machine that they sit at (RFC 8252, section
 * 7.3). No fragment, nobody's name or password, and written as URLs are, so that everybody reads it alike.
 */
export function isRedirectUri(text: string): boolean {
  const url = text.length <= MAX_LENGTH && URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.href !== text && url.href !== `${text}/`)) return false;
  if (url.hash !== '' || text.includes('#') || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || isLoopback(url);
}

/** Whether somebody may be sent to `asked` for whom `known` was told: the same place, on loopback at any port. */
export function isSameRedirect(known: string, asked: string): boolean {
  if (known === asked) return true;
  const [one, other] = [new URL(known), new URL(asked)];
  return isLoopback(one) && isLoopback(other) && withoutPort(one) === withoutPort(other);
}

/** Whether it is a program on the person's own machine that is sent the answer. */
export function isLoopbackRedirect(redirectUri: string): boolean {
  return isLoopback(new URL(redirectUri));
}

/** The address with an answer in its query. */
export function redirectTo(redirectUri: string, answer: Readonly<Record<string, string>>): string {
  const told = Object.entries(answer).filter(([, value]) => value !== '');
  const query = new URLSearchParams(told).toString();
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`;
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && LOOPBACK.has(hostname);
}

function withoutPort(url: URL): string {
  const copy = new URL(url);
  copy.port = '';
  return copy.href;
}
