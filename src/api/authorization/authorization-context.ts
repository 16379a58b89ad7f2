import type { People } from '../../accounts/people/people.ts';
import type { AuthorizationDomain } from '../../authorization/authorization-domain.ts';
import type { ConsentTickets } from '../../authorization/consent-ticket.ts';
import type { IssueTokens } from '../../authorization/issue-tokens.ts';
import type { Principal } from '../auth/principal.ts';

/** Dependencies of the authorization server's endpoints. */
export interface AuthorizationContext {
  readonly domain: AuthorizationDomain;
  readonly issueTokens: IssueTokens;
  readonly tickets: ConsentTickets;
  readonly people: Pick<People, 'signup' | 'publicUrl'>;
  /** Route names of the external sign-in providers. */
  readonly providers: readonly string[];
  /** The session in a request's cookies; null if not signed in. */
  readonly sessionOf: (cookies: string) => Principal | null;
}
