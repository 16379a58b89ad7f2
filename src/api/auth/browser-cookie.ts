import { cookieNamed } from '../http/request/cookie.ts';
import { LONGEST_COOKIE_S } from './session-cookie.ts';

const BROWSER_COOKIE = 'svc_browser';

/** By what a browser is known to the accounts that signed in with it; null without it. It lets nobody in. */
export function browserTokenOf(cookieHeader: string): string | null {
  return cookieNamed(BROWSER_COOKIE, cookieHeader) || null;
}

/** The `Set-Cookie` that makes a browser known, sent only by pages of the gateway itself. */
export function browserCookie(token: string, publicUrl: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${BROWSER_COOKIE}=${token}; Path=/; Max-Age=${LONGEST_COOKIE_S}; HttpOnly; SameSite=Strict${secure}`;
}
