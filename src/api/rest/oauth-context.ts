import type { SignIns } from '../../accounts/identities/sign-ins.ts';
import type { Client, People } from '../../accounts/people/people.ts';
import { openSession } from '../../accounts/sessions/sessions.ts';
import type { Authenticate, Principal } from '../auth/principal.ts';
import { sessionCookie, sessionTokenOf } from '../auth/session-cookie.ts';

/** What the doors to other providers need beside the sign-ins themselves. */
export interface OAuthDoor {
  readonly signIns: SignIns;
  /** Without a slash at the end. */
  readonly publicUrl: () => string;
  /** The session that a request's cookies open; null: nobody is signed in. */
  readonly sessionOf: (cookies: string) => Principal | null;
  /** Signs a browser in, and gives the `Set-Cookie` that says so. */
  readonly openSession: (accountId: string, client: Client) => Promise<string>;
}

/** The door as the gateway has it: its sessions are those of people who sign in by password. */
export function oauthDoor(signIns: SignIns, people: People, authenticate: Authenticate): OAuthDoor {
  const { publicUrl } = people;
  return {
    signIns,
    publicUrl,
    sessionOf: (cookies) => {
      const principal = authenticate(sessionTokenOf(cookies));
      return principal?.kind === 'session' ? principal : null;
    },
    openSession: async (accountId, client) =>
      sessionCookie(await openSession(people, accountId, client), publicUrl()),
  };
}
