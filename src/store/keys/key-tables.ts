/** Agent keys act at runtime, settings keys configure the account. */
export type KeyKind = 'agent' | 'settings';

/** The key itself is never stored: `hash` is its SHA-256 in hex, `keyPrefix` its first characters. */
export interface ApiKeysTable {
  id: string;
  accountId: string;
  kind: KeyKind;
  hash: string;
  keyPrefix: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

export interface AgentKeysTable {
  agentId: string;
  keyId: string;
}

/**
 * An MCP client, whoever has authorized it. `clientId` is the URL of a document that describes it where `fetchedAt` says
 * when that was read. `redirectUris` is JSON; `secretHash` null: it cannot keep a secret.
 */
export interface OauthClientsTable {
  clientId: string;
  clientName: string;
  redirectUris: string;
  authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  secretHash: string | null;
  registeredAt: string;
  fetchedAt: string | null;
}

/** What an account lets a client do. `redirectUri` is where it was sent then; `platforms` is JSON, null: all of them. */
export interface McpAuthorizationsTable {
  id: string;
  accountId: string;
  clientId: string;
  redirectUri: string;
  platforms: string | null;
  /** The session in which it was approved last; null: not known. */
  sessionId: string | null;
  createdAt: string;
  lastUsedAt: string | null;
}

export interface AgentAuthorizationsTable {
  agentId: string;
  authorizationId: string;
}

/** It begins as a code and, once that is redeemed, lives as its tokens; `resource` is where they are good for. */
export interface OauthGrantsTable {
  id: string;
  accountId: string;
  authorizationId: string;
  redirectUri: string;
  codeHash: string;
  codeChallenge: string;
  resource: string;
  createdAt: string;
  codeExpiresAt: string;
  redeemedAt: string | null;
  /** Platforms that the last refresh asked for, as JSON; null: all that the authorization allows. */
  narrowedTo: string | null;
}

/**
 * A refresh token that was `spent` stays until it expires: whoever comes with it again has stolen it, or was robbed. Only
 * its client may repeat it for a minute: `sealedSuccessor` is what it got, sealed under the token itself.
 */
export interface OauthTokensTable {
  tokenHash: string;
  accountId: string;
  grantId: string;
  kind: 'access' | 'refresh';
  createdAt: string;
  expiresAt: string;
  spentAt: string | null;
  sealedSuccessor: string | null;
}

/**
 * A request that came with an `Idempotency-Key`. What was asked and what was answered are sealed: a body may hold a
 * password, an answer a key. `status` null: there is no answer yet, or never will be; `subject`: the id of what the
 * request has made so far.
 */
export interface IdempotentRequestsTable {
  accountId: string;
  credentialId: string;
  key: string;
  sealedRequest: string;
  subject: string | null;
  status: number | null;
  sealedAnswer: string | null;
  createdAt: string;
}
