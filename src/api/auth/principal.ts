/** Who is asking: the account behind a key, what kind of key it is, and the agents that the key belongs to. */
export interface Principal {
  readonly accountId: string;
  readonly keyId: string;
  readonly kind: 'agent' | 'settings';
  readonly agentIds: readonly string[];
}

/** Turns the credential that a request carries into its principal; null when it is missing or unknown. */
export type Authenticate = (credential: string | null) => Principal | null;
