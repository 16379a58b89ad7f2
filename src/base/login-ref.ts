/**
 * A login of the gateway at a platform: an account's own bot or connection, or the login that all accounts share. A
 * person who is linked to the shared login has a connection too, but not a login: such a connection has the `loginKey`
 * `shared`.
 */
export type LoginRef =
  | { readonly kind: 'bot_token' | 'connection'; readonly id: string }
  | { readonly kind: 'shared' };

/** The key of the shared login. */
export const SHARED_LOGIN = 'shared';
const CONNECTION_ID = /^con_/;

/** Returns a login's key, under which it is stored and its webhooks arrive: `shared`, or its id. */
export function keyOfLogin(login: LoginRef): string {
  return login.kind === 'shared' ? SHARED_LOGIN : login.id;
}

/** Returns the login with a stored key. */
export function loginOfKey(key: string): LoginRef {
  if (key === SHARED_LOGIN) return { kind: 'shared' };
  return { kind: CONNECTION_ID.test(key) ? 'connection' : 'bot_token', id: key };
}
