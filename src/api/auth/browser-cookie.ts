import { cookieNamed } from '../http/request/cookie.ts';
import { LONGEST_COOKIE_S } from './session-cookie.ts';

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
