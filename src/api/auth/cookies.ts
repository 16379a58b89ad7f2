/** Longest lifetime that browsers allow. The gateway itself decides at every use whether the session is still valid. */
export const LONGEST_COOKIE_S = 400 * 86_400;
const SESSION_COOKIE = 'svc_session';
const BROWSER_COOKIE = 'svc_browser';
const RETURN_COOKIE = 'svc_return';
const RETURN_MAX_AGE_S = 600;
/** Whoever can set cookies can name only these pages, which ask before they do anything. */
const RETURN_PAGE = /^(\/oauth\/authorize|\/connect\/[a-z]+)\?(.*)$/s;
/** Browsers reject cookies that are much longer. Without the cookie the client has to start again. */
const RETURN_MAX_LENGTH = 3_500;

/** The session token in a `Cookie` header; null if absent. */
export function sessionTokenOf(cookieHeader: string): string | null {
  return cookieNamed(SESSION_COOKIE, cookieHeader) || null;
}

/** The `Set-Cookie` header that signs a browser in. */
export function sessionCookie(token: string, publicUrl: string): string {
  return setCookie(`${SESSION_COOKIE}=${token}`, LONGEST_COOKIE_S, publicUrl);
}

/** The `Set-Cookie` header that signs a browser out. */
export function clearedSessionCookie(publicUrl: string): string {
  return setCookie(`${SESSION_COOKIE}=`, 0, publicUrl);
}

/** The token by which accounts recognize a browser that signed in before; null if absent. It grants no access. */
export function browserTokenOf(cookieHeader: string): string | null {
  return cookieNamed(BROWSER_COOKIE, cookieHeader) || null;
}

/** The `Set-Cookie` header that makes a browser recognizable. Only the gateway's own pages send the cookie. */
export function browserCookie(token: string, publicUrl: string): string {
  return setCookie(`${BROWSER_COOKIE}=${token}`, LONGEST_COOKIE_S, publicUrl, { sameSite: 'Strict' });
}

/**
 * The `Set-Cookie` header that stores the page that required a sign-in, during an external one; null if its query is too
 * long.
 */
export function returnCookie(
  path: `/${string}`,
  query: Readonly<Record<string, string>>,
  publicUrl: string,
): string | null {
  const { prompt = '', ...asked } = query;
  const text = new URLSearchParams(prompt === 'login' ? asked : query).toString();
  if (text.length > RETURN_MAX_LENGTH) return null;
  return externalSignInCookie(`${RETURN_COOKIE}=${path}?${text}`, RETURN_MAX_AGE_S, publicUrl);
}

/** The page to return to after signing in, always one that asks for consent; null if there is none. */
export function returnUrl(cookieHeader: string, publicUrl: string): string | null {
  const [, path, query = ''] = RETURN_PAGE.exec(cookieNamed(RETURN_COOKIE, cookieHeader)) ?? [];
  return path === undefined ? null : `${publicUrl}${path}?${new URLSearchParams(query)}`;
}

/**
 * A `Set-Cookie` header for the routes of external sign-in only. SameSite=Lax, because the browser returns by a link
 * from the provider's site.
 */
export function externalSignInCookie(cookie: string, maxAgeS: number, publicUrl: string): string {
  const path = `${new URL(publicUrl).pathname.replace(/\/$/, '')}/auth/oauth`;
  return setCookie(cookie, maxAgeS, publicUrl, { path });
}

/** With an https public URL the cookie is `Secure`. */
function setCookie(
  cookie: string,
  maxAgeS: number,
  publicUrl: string,
  { path = '/', sameSite = 'Lax' } = {},
): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${cookie}; Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** The value of a cookie in the `Cookie` header (RFC 6265, section 5.4); empty if absent. */
export function cookieNamed(name: string, cookieHeader: string): string {
  // Searched by name, because a header can hold 32,000 empty cookies.
  for (let at = cookieHeader.indexOf(name); at >= 0; at = cookieHeader.indexOf(name, at + name.length)) {
    if (!beginsCookie(cookieHeader, at)) continue;
    const equals = afterSpaces(cookieHeader, at + name.length);
    if (cookieHeader[equals] !== '=') continue;
    const end = cookieHeader.indexOf(';', equals);
    return cookieHeader.slice(equals + 1, end < 0 ? undefined : end).trim();
  }
  return '';
}

/** Whether only spaces separate `at` from the previous cookie. */
function beginsCookie(text: string, at: number): boolean {
  let before = at - 1;
  while (isSpace(text[before])) before -= 1;
  return before < 0 || text[before] === ';';
}

function afterSpaces(text: string, at: number): number {
  let after = at;
  while (isSpace(text[after])) after += 1;
  return after;
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
