import { cookieNamed } from '../http/request/cookie.ts';

/** Keeps an authorization request while the user signs in with an external provider. */
const COOKIE = 'svc_return';
const MAX_AGE_S = 600;
/** Browsers reject cookies that are much longer. Without the cookie the client has to start again. */
const MAX_LENGTH = 3_500;

/** The `Set-Cookie` header that stores an authorization request during an external sign-in; null if it is too long. */
export function returnCookie(query: Readonly<Record<string, string>>, publicUrl: string): string | null {
  const { prompt = '', ...asked } = query;
  const text = new URLSearchParams(prompt === 'login' ? asked : query).toString();
  if (text.length > MAX_LENGTH) return null;
  const { protocol, pathname } = new URL(publicUrl);
  const path = `${pathname.replace(/\/$/, '')}/auth/oauth`;
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${COOKIE}=${text}; Path=${path}; Max-Age=${MAX_AGE_S}; HttpOnly; SameSite=Lax${secure}`;
}

/** The page to return to after signing in, always the authorization page; null if there is none. */
export function returnUrl(cookieHeader: string, publicUrl: string): string | null {
  const text = cookieNamed(COOKIE, cookieHeader);
  return text === '' ? null : `${publicUrl}/oauth/authorize?${new URLSearchParams(text)}`;
}
