import type { AdminAnswer, AsksAdmins, WantedConsent } from '../../contract/admin-consent.ts';

/** What people are told of the errors of consent (https://learn.microsoft.com/entra/identity-platform/reference-error-codes). */
const KNOWN: Readonly<Record<string, string>> = {
  AADSTS65004: 'The administrator declined the permissions',
  AADSTS90093: 'This account may not approve applications; an administrator of the organization has to',
  AADSTS90094: 'An administrator of the organization has to approve the application',
};
const CODE = /AADSTS\d{5,7}/;

export interface EntraConsentOptions {
  /** The cloud's login endpoint and Microsoft Graph, without trailing slashes. */
  readonly loginUrl: string;
  readonly graphUrl: string;
  readonly clientId: string;
}

/** Consent of an administrator (https://learn.microsoft.com/entra/identity-platform/v2-admin-consent). */
export class EntraAdminConsent implements AsksAdmins {
  readonly #options: EntraConsentOptions;

  constructor(options: EntraConsentOptions) {
    this.#options = options;
  }

  /** The tenant, as in `EntraOAuth.identify`. */
  organizationOf(providerUserId: string): string {
    return providerUserId.split(':', 1)[0] ?? '';
  }

  /** Asks for all permissions of the registration. */
  consentUrl({ organization, redirectUri, state }: WantedConsent): string {
    const { loginUrl, graphUrl, clientId } = this.#options;
    const url = new URL(`${loginUrl}/${organization}/v2.0/adminconsent`);
    url.searchParams.set('client_id', clientId);
    url.searchParams.set('scope', `${graphUrl}/.default`);
    url.searchParams.set('redirect_uri', redirectUri);
    url.searchParams.set('state', state);
    return url.href;
  }

  readAnswer(parameters: Readonly<Record<string, string>>): AdminAnswer {
    const { error, error_description: description = '', admin_consent: consent, tenant } = parameters;
    if (error) return { kind: 'refused', reason: reasonOf(error, description) };
    if (consent?.toLowerCase() !== 'true' || !tenant)
      return { kind: 'refused', reason: 'Microsoft did not confirm the approval' };
    return { kind: 'approved', organization: tenant.toLowerCase() };
  }
}

function reasonOf(error: string, description: string): string {
  const code = CODE.exec(description)?.[0] ?? CODE.exec(error)?.[0] ?? '';
  const known = KNOWN[code];
  if (known !== undefined) return `${known} (${code})`;
  if (error === 'access_denied' && description === '') return 'The administrator declined (access_denied)';
  return description === '' ? error : `${error}: ${description}`;
}
