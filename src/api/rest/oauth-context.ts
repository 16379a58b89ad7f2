import type { SignIns } from '../../accounts/identities/sign-ins.ts';
import type { Client, People } from '../../accounts/people/people.ts';
import { openSession } from '../../accounts/sessions/sessions.ts';
import type { Authenticate, Principal } from '../auth/principal.ts';
import { sessionCookie, sessionTokenOf } from '../auth/session-cookie.ts';

/** What the routes of sign-ins by other providers work with. */
export interface OAuthContext {
  readonly signIns: SignIns;
  /** Without a slash at the end. */
  readonly publicUrl: () => string;
  /** The session that a request's cookies open; null: nobody is signed in. */
  readonly sessionOf: (cookies: string) => Principal | null;
  /** Signs a browser in, and gives the `Set-Cookie` that says so. */
  readonly openSession: (accountId: string, client: Client) => Promise<string>;
}

/** The context of the gateway itself: a sign-in by a provider opens the same session as one by password. */
export function oauthContext(signIns: SignIns, people: People, authenticate: Authenticate): OAuthContext {
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
