import { cookieNamed } from '../http/request/cookie.ts';

/** Keeps what a client asked for while its reader signs in somewhere else. */
const COOKIE = 'svc_return';
const MAX_AGE_S = 600;
/** Browsers keep no cookie that is much longer; without it the client has to be told to begin again. */
const MAX_LENGTH = 3_500;

/** The `Set-Cookie` for whoever may sign in elsewhere before they answer this; null when it is too long for one. */
export function returnCookie(query: Readonly<Record<string, string>>, publicUrl: string): string | null {
  const { prompt = '', ...asked } = query;
  const text = new URLSearchParams(prompt === 'login' ? asked : query).toString();
  if (text.length > MAX_LENGTH) return null;
  const { protocol, pathname } = new URL(publicUrl);
  const path = `${pathname.replace(/\/$/, '')}/auth/oauth`;
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${COOKIE}=${text}; Path=${path}; Max-Age=${MAX_AGE_S}; HttpOnly; SameSite=Lax${secure}`;
}

/** Where somebody was going who has signed in; only ever to the page that asks about a client. Null: nowhere. */
export function returnUrl(cookieHeader: string, publicUrl: string): string | null {
  const text = cookieNamed(COOKIE, cookieHeader);
  return text === '' ? null : `${publicUrl}/oauth/authorize?${new URLSearchParams(text)}`;
}
