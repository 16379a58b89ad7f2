/** A browser that is signed in, a key that acts at runtime, a key that configures the account. */
export type CredentialKind = 'session' | 'agent' | 'settings';

/** Who is asking: the account behind a credential, and the agents that it acts for, all of them for a session. */
export interface Principal {
  readonly kind: CredentialKind;
  readonly accountId: string;
  /** Id of the key or of the session. */
  readonly credentialId: string;
  readonly agentIds: readonly string[];
}

/** Turns the credential that a request carries into its principal; null when it is missing or unknown. */
export type Authenticate = (credential: string | null) => Principal | null;
