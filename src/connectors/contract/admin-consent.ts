/**
 * A platform on which an administrator can approve the gateway's application for a whole organization. The gateway
 * derives the endpoints `/api/oauth/<platform>-admin-consent/…` from it.
 */
export interface AsksAdmins {
  /** The organization of a connected account, as the platform names it in its answer. */
  organizationOf(providerUserId: string): string;
  /** Where an administrator of the organization approves. Called only while the platform is set up. */
  consentUrl(consent: WantedConsent): string;
  /** Reads the parameters that the platform appended to the redirect URI. Anyone can send them. */
  readAnswer(parameters: Readonly<Record<string, string>>): AdminAnswer;
}

export interface WantedConsent {
  readonly organization: string;
  readonly redirectUri: string;
  /** Comes back with the answer. */
  readonly state: string;
}

/** What an administrator decided. `reason`: in the platform's words. */
export type AdminAnswer =
  | { readonly kind: 'approved'; readonly organization: string }
  | { readonly kind: 'refused'; readonly reason: string };
