/** Where messages are exchanged: over a login, with a person or in a channel, in a thread or outside. */
export interface Address {
  readonly login: LoginRef;
  readonly space: Space;
  /**
   * The platform's id of a thread in the space. Null: outside threads, where the message that starts one is, too, unless
   * every message of the platform's channels belongs to a thread.
   */
  readonly thread: string | null;
  /**
   * The platform's permanent id of the person concerned: the sender of an inbound message, or the other side of a direct
   * conversation. Null: nobody in particular, as for a message to a channel.
   */
  readonly person: string | null;
}

/** A person's direct conversation with the login, or a channel, group or room with several people. */
export interface Space {
  readonly kind: 'direct' | 'channel';
  /** The platform's permanent id, as text: of the person in a direct conversation, of the channel otherwise. */
  readonly id: string;
}

/** Returns the address of a person's direct conversation, outside threads. */
export function directAddress(login: LoginRef, personId: string): Address {
  return { login, space: { kind: 'direct', id: personId }, thread: null, person: personId };
}

/** Returns the address of a channel, outside threads. */
export function channelAddress(login: LoginRef, channelId: string): Address {
  return { login, space: { kind: 'channel', id: channelId }, thread: null, person: null };
}

/** Returns a key that is the same for all addresses of one conversation on a platform. */
export function keyOfAddress({ login, space, thread }: Address): string {
  return JSON.stringify([keyOfLogin(login), space.kind, space.id, thread]);
}

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
