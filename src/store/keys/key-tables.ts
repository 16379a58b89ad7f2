import type { Platform } from '../../base/platform.ts';

/** The tables of this folder by name. */
export interface KeyTables {
  agentAuthorizations: AgentAuthorizationsTable;
  apiKeys: ApiKeysTable;
  agentKeys: AgentKeysTable;
  idempotentRequests: IdempotentRequestsTable;
  mcpAuthorizations: McpAuthorizationsTable;
  oauthClients: OauthClientsTable;
  oauthGrants: OauthGrantsTable;
  oauthTokens: OauthTokensTable;
}

/** Agent keys are for runtime use, settings keys for configuring the account. */
export type KeyKind = 'agent' | 'settings';

/** The key itself is never stored. `hash` is its SHA-256 in hex, `keyPrefix` its first characters. */
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

interface AgentKeysTable {
  agentId: string;
  keyId: string;
}

/**
 * An MCP client, independent of any authorization. If `fetchedAt` is set, `clientId` is the URL of the client's
 * metadata document, read at that time. `secretHash` null: a public client without a secret.
 */
export interface OauthClientsTable {
  clientId: string;
  clientName: string;
  redirectUris: readonly string[];
  authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  secretHash: string | null;
  registeredAt: string;
  fetchedAt: string | null;
}

/**
 * What an account allows a client to do. `redirectUri` is the one used for the approval. `platforms` null: all.
 */
export interface McpAuthorizationsTable {
  id: string;
  accountId: string;
  clientId: string;
  redirectUri: string;
  platforms: ReadonlySet<Platform> | null;
  /** The session of the last approval. Null: unknown. */
  sessionId: string | null;
  createdAt: string;
  lastUsedAt: string | null;
}

interface AgentAuthorizationsTable {
  agentId: string;
  authorizationId: string;
}

/**
 * A grant starts as a code and, once redeemed, continues as its tokens. `resource` is what the tokens are valid for.
 */
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
  /** Platforms requested by the last refresh. Null: all that the authorization allows. */
  narrowedTo: ReadonlySet<Platform> | null;
}

/**
 * A spent refresh token is kept until it expires: its reuse means that it was stolen. Only its client may repeat the
 * refresh for a minute: `sealedSuccessor` holds what it received, sealed with the token itself.
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
 * A request with an `Idempotency-Key`. Request and answer are sealed, since a body may contain a password and an answer
 * a key. `status` null: there is no answer yet, or there never will be. `subject`: the id of what the request has
 * created so far.
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
