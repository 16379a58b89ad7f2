import * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import { field } from '../../../base/platform-json.ts';
import type { AdminAnswer, AsksAdmins } from '../../contract/admin-consent.ts';
import type { ConnectsByOAuth } from '../../contract/oauth.ts';
import { idTokenClaims, type Registration } from '../../kit/oauth-platform.ts';

/** What people are asked for: who they are, tokens that can be refreshed, and the numbers of their meetings. */
const SCOPE = 'openid profile email offline_access User.Read OnlineMeetings.ReadWrite';

/** https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference */
const Claims = z.object({
  aud: z.string(),
  iss: z.string(),
  /** The user, in the directory of a tenant. */
  oid: z.guid(),
  tid: z.guid(),
  name: field(z.string()),
  email: field(z.email()),
  preferred_username: field(z.string()),
});

/** What people are told of the errors of consent (https://learn.microsoft.com/entra/identity-platform/reference-error-codes). */
const KNOWN: Readonly<Record<string, string>> = {
  AADSTS65004: 'The administrator declined the permissions',
  AADSTS90093: 'This account may not approve applications; an administrator of the organization has to',
  AADSTS90094: 'An administrator of the organization has to approve the application',
};
const CODE = /AADSTS\d{5,7}/;

export interface EntraOptions {
  /** The cloud's login endpoint and Microsoft Graph, without trailing slashes. */
  readonly loginUrl: string;
  readonly graphUrl: string;
  /** `organizations`, or the id or a domain of the only tenant whose people may connect. */
  readonly tenant: string;
  /** Null: the operator has not set it up. */
  readonly application: Registration | null;
  /** Whether people write to a bot that all accounts share. */
  readonly hasSharedBot: boolean;
}

/**
 * Microsoft accounts of work or school
 * (https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow). Entra has no endpoint that revokes the
 * tokens of one application, so `revoke` is absent.
 */
export function entraOAuth(options: EntraOptions): ConnectsByOAuth {
  const { loginUrl, tenant, application, hasSharedBot } = options;
  return {
    client: application && {
      ...application,
      authorizationEndpoint: `${loginUrl}/${tenant}/oauth2/v2.0/authorize`,
      tokenEndpoint: `${loginUrl}/${tenant}/oauth2/v2.0/token`,
      authentication: 'form',
      scope: SCOPE,
      pkce: true,
      parameters: { response_mode: 'query', prompt: 'select_account' },
    },
    identify: async (tokens) => {
      const claims = idTokenClaims(tokens, application?.clientId ?? '', Claims);
      const tenantId = claims.tid.toLowerCase();
      if (!claims.iss.toLowerCase().endsWith(`/${tenantId}/v2.0`))
        throw new GatewayError('platform_failed', 'The ID token is from another tenant than it says');
      // An object id is unique only in its tenant.
      const userId = `${tenantId}:${claims.oid.toLowerCase()}`;
      const address = claims.email ?? z.email().safeParse(claims.preferred_username).data ?? null;
      return {
        providerUserId: userId,
        label: claims.name ?? address ?? claims.preferred_username ?? userId,
        email: address,
        person: hasSharedBot ? { id: userId, login: 'shared' } : null,
      };
    },
    adminConsent: adminConsent(options),
  };
}

/** Consent of an administrator (https://learn.microsoft.com/entra/identity-platform/v2-admin-consent). */
function adminConsent({ loginUrl, graphUrl, application }: EntraOptions): AsksAdmins {
  return {
    // The tenant, as `identify` has it.
    organizationOf: (providerUserId) => providerUserId.split(':', 1)[0] ?? '',
    /** Asks for all permissions of the registration. */
    consentUrl: ({ organization, redirectUri, state }) => {
      const url = new URL(`${loginUrl}/${organization}/v2.0/adminconsent`);
      url.searchParams.set('client_id', application?.clientId ?? '');
      url.searchParams.set('scope', `${graphUrl}/.default`);
      url.searchParams.set('redirect_uri', redirectUri);
      url.searchParams.set('state', state);
      return url.href;
    },
    readAnswer,
  };
}

function readAnswer(parameters: Readonly<Record<string, string>>): AdminAnswer {
  const { error, error_description: description = '', admin_consent: consent, tenant } = parameters;
  if (error) return { kind: 'refused', reason: reasonOf(error, description) };
  if (consent?.toLowerCase() !== 'true' || !tenant)
    return { kind: 'refused', reason: 'Microsoft did not confirm the approval' };
  return { kind: 'approved', organization: tenant.toLowerCase() };
}

function reasonOf(error: string, description: string): string {
  const code = CODE.exec(description)?.[0] ?? CODE.exec(error)?.[0] ?? '';
  const known = KNOWN[code];
  if (known !== undefined) return `${known} (${code})`;
  if (error === 'access_denied' && description === '') return 'The administrator declined (access_denied)';
  return description === '' ? error : `${error}: ${description}`;
}
