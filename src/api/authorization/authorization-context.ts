import type { People } from '../../accounts/people/people.ts';
import type { AuthorizationDomain } from '../../authorization/authorization-domain.ts';
import type { ConsentTickets } from '../../authorization/consent-ticket.ts';
import type { IssueTokens } from '../../authorization/issue-tokens.ts';
import type { Principal } from '../auth/principal.ts';

/** What the endpoints of the authorization server work with. */
export interface AuthorizationContext {
  readonly domain: AuthorizationDomain;
  readonly issueTokens: IssueTokens;
  readonly tickets: ConsentTickets;
  readonly people: Pick<People, 'signup' | 'publicUrl'>;
  /** Where else people can sign in, by the names of their routes. */
  readonly providers: readonly string[];
  /** The session that a request's cookies open; null: nobody is signed in. */
  readonly sessionOf: (cookies: string) => Principal | null;
}
