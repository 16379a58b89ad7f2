import type { AgentScope } from '../../base/scope.ts';

/**
 * Kinds of credentials: a browser session, a runtime key, a key for settings, the grant of an MCP client, and the internal
 * bearer of an agent's model, which only reads.
 */
export type CredentialKind = 'session' | 'agent' | 'settings' | 'oauth' | 'model';

/** The authenticated caller: its account, the agents it acts for (all of them for a session) and its platforms. */
export interface Principal extends AgentScope {
  readonly kind: CredentialKind;
  /**
   * Id of the key, the session or the grant behind an access token. A grant's id stays the same when tokens are
   * refreshed.
   */
  readonly credentialId: string;
}

/** Returns the principal of a request's credential; null if it is missing or unknown. */
export type Authenticate = (credential: string | null) => Principal | null;
