import { cookieNamed } from '../http/request/cookie.ts';

const SESSION_COOKIE = 'svc_session';

/** Longest lifetime that browsers allow. The gateway itself decides at every use whether the session is still valid. */
export const LONGEST_COOKIE_S = 400 * 86_400;

/** The session token in a `Cookie` header; null if absent. */
export function sessionTokenOf(cookieHeader: string): string | null {
  return cookieNamed(SESSION_COOKIE, cookieHeader) || null;
}

/** The `Set-Cookie` header that signs a browser in. With an https public URL the cookie is `Secure`. */
export function sessionCookie(token: string, publicUrl: string): string {
  return `${SESSION_COOKIE}=${token}; ${attributes(LONGEST_COOKIE_S, publicUrl)}`;
}

/** The `Set-Cookie` header that signs a browser out. */
export function clearedSessionCookie(publicUrl: string): string {
  return `${SESSION_COOKIE}=; ${attributes(0, publicUrl)}`;
}

function attributes(maxAgeS: number, publicUrl: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`;
}

const BROWSER_COOKIE = 'svc_browser';

/** The token by which accounts recognize a browser that signed in before; null if absent. It grants no access. */
export function browserTokenOf(cookieHeader: string): string | null {
  return cookieNamed(BROWSER_COOKIE, cookieHeader) || null;
}

/** The `Set-Cookie` header that makes a browser recognizable. Only the gateway's own pages send the cookie. */
export function browserCookie(token: string, publicUrl: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${BROWSER_COOKIE}=${token}; Path=/; Max-Age=${LONGEST_COOKIE_S}; HttpOnly; SameSite=Strict${secure}`;
}
