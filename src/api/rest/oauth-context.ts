import type { SignIns } from '../../accounts/identities/sign-ins.ts';
import type { Client, People } from '../../accounts/people/people.ts';
import { openSession } from '../../accounts/sessions/sessions.ts';
import type { Authenticate, Principal } from '../auth/principal.ts';
import { sessionCookie, sessionTokenOf } from '../auth/session-cookie.ts';

/** Dependencies of the routes for external sign-in. */
export interface OAuthContext {
  readonly signIns: SignIns;
  /** Without a trailing slash. */
  readonly publicUrl: () => string;
  /** The session in a request's cookies; null if not signed in. */
  readonly sessionOf: (cookies: string) => Principal | null;
  /** Opens a session and returns its `Set-Cookie` header. */
  readonly openSession: (accountId: string, client: Client) => Promise<string>;
}

/** The gateway's own context: an external sign-in opens the same kind of session as a password. */
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
