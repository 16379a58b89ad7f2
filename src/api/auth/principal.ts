import type { AgentScope } from '../../base/scope.ts';

/** A browser that is signed in, a key that acts at runtime, one that configures the account, an authorized MCP client. */
export type CredentialKind = 'session' | 'agent' | 'settings' | 'oauth';

/** Who is asking: the account behind a credential, the agents that it acts for (of a session all), its platforms. */
export interface Principal extends AgentScope {
  readonly kind: CredentialKind;
  /** Id of the key, of the session, or of the grant behind an access token: it stays when tokens are refreshed. */
  readonly credentialId: string;
}

/** Turns the credential that a request carries into its principal; null when it is missing or unknown. */
export type Authenticate = (credential: string | null) => Principal | null;
