import type { AccountDomain } from '../accounts/account/account-domain.ts';
import { platformStatuses } from '../accounts/logins/platform-status.ts';
import type { People } from '../accounts/people/people.ts';
import type { AuthorizationContext } from '../api/authorization/authorization-context.ts';
import type { OAuthContext } from '../api/rest/oauth.ts';
import { type AuthorizationDomain, mcpUrl } from '../authorization/authorization-domain.ts';
import { readSmallDocument } from '../authorization/client-documents.ts';
import { ConsentTickets } from '../authorization/consent-ticket.ts';
import { GrantCache } from '../authorization/grant-cache.ts';
import { tokenIssuer } from '../authorization/issue-tokens.ts';
import { registrationTurns } from '../authorization/registration-turns.ts';
import type { FileDomain } from '../files/file-domain.ts';
import type { PartDeps } from './gateway-deps.ts';

/** Loads all access tokens. Runs before anything that authenticates with them. */
export async function openGrants({ store, clock, events, publicUrl }: PartDeps): Promise<GrantCache> {
  return await GrantCache.load(
    store.db,
    clock,
    () => mcpUrl(publicUrl()),
    (error) => events.writeFailed('the last use of an MCP client', error),
  );
}

interface AuthorizationNeeds {
  readonly grants: GrantCache;
  readonly people: People;
  readonly files: FileDomain;
  readonly accounts: AccountDomain;
}

/** The authorization server for MCP clients. */
export function authorizationDomain(
  { store, clock, metrics, publicUrl }: PartDeps,
  { grants, people, files, accounts }: AuthorizationNeeds,
): AuthorizationDomain {
  const registrations = registrationTurns(clock);
  metrics.watchShare('client_registrations', registrations);
  return {
    store,
    clock,
    grants,
    limits: people.limits,
    registrations,
    issuer: publicUrl,
    resource: () => mcpUrl(publicUrl()),
    readDocument: (url) => readSmallDocument(files.web, clock, url),
    connectedPlatforms: async (accountId) => {
      const all = await platformStatuses(accounts, { accountId, agentIds: null, platforms: null });
      return new Set(all.filter(({ status }) => status === 'ok').map(({ platform }) => platform));
    },
  };
}

export function authorizationContext(
  domain: AuthorizationDomain,
  people: People,
  { signIns, sessionOf }: OAuthContext,
): AuthorizationContext {
  return {
    domain,
    people,
    providers: [...signIns.providers.keys()],
    issueTokens: tokenIssuer(domain),
    tickets: new ConsentTickets(domain.clock),
    sessionOf,
  };
}
