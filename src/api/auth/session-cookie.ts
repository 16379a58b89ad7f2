import { cookieNamed } from '../http/request/cookie.ts';

const SESSION_COOKIE = 'svc_session';

/** Browsers keep no cookie longer. When the session ends is up to the gateway, at every use anew. */
export const LONGEST_COOKIE_S = 400 * 86_400;

/** The session token in a request's `Cookie` header; null without one. */
export function sessionTokenOf(cookieHeader: string): string | null {
  return cookieNamed(SESSION_COOKIE, cookieHeader) || null;
}

/** The `Set-Cookie` that signs a browser in. Behind an https URL it never travels in the clear. */
export function sessionCookie(token: string, publicUrl: string): string {
  return `${SESSION_COOKIE}=${token}; ${attributes(LONGEST_COOKIE_S, publicUrl)}`;
}

/** The `Set-Cookie` that signs a browser out. */
export function clearedSessionCookie(publicUrl: string): string {
  return `${SESSION_COOKIE}=; ${attributes(0, publicUrl)}`;
}

function attributes(maxAgeS: number, publicUrl: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`;
}
