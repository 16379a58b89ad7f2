import * as z from 'zod';
import { PLATFORMS } from '../../base/platform.ts';
import { named } from './fields.ts';

/**
 * All parameters are optional in the schema, so that missing ones are reported to the user or the client in OAuth's
 * format.
 */
export const AuthorizeQuery = z.object({
  client_id: z
    .string()
    .default('')
    .describe('The registered id, or the https URL of a client metadata document'),
  redirect_uri: z.string().default('').describe('A registered redirect URI; on loopback with any port'),
  response_type: z.string().default('').describe('`code`'),
  state: z.string().default('').describe('Returned unchanged'),
  code_challenge: z.string().default('').describe('PKCE: SHA-256 of the verifier in base64url'),
  code_challenge_method: z.string().default('').describe('`S256`'),
  resource: z.string().default('').describe('URL of the MCP server, which is also the default'),
  scope: z
    .string()
    .default('')
    .describe('Names of platforms, separated by spaces. Default: all. An unknown name is `invalid_scope`'),
  prompt: z
    .string()
    .default('')
    .describe('`consent` asks for consent again, `login` offers to sign in with another account'),
});

/** A registered client (RFC 7591, section 3.2.1). */
export const RegisteredClient = named('McpClient', {
  client_id: z.string(),
  client_name: z.string(),
  client_id_issued_at: z.int().describe('Unix time in seconds'),
  client_secret: z.string().optional().describe('Shown only in this answer; omitted for `none`'),
  client_secret_expires_at: z.literal(0).optional(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  token_endpoint_auth_method: z.string(),
});

/** An OAuth error (RFC 6749, section 5.2). */
export const OAuthFault = named('OAuthError', {
  error: z.string(),
  error_description: z.string().optional(),
});

export const OAuthTokens = named('OAuthTokens', {
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int().describe('Seconds'),
  refresh_token: z.string().describe('Works once; the client may repeat a refresh for 60 seconds'),
  scope: z.string().describe('The granted platforms'),
});

/** The only success answer that RFC 7009 defines. */
export const RevokedToken = named('RevokedToken', {});

const Names = z.array(z.string());

export const ResourceMetadata = named('ProtectedResource', {
  resource: z.string(),
  authorization_servers: Names,
  bearer_methods_supported: Names,
  resource_name: z.string(),
});

export const ServerMetadata = named('AuthorizationServer', {
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  registration_endpoint: z.string(),
  revocation_endpoint: z.string(),
  jwks_uri: z.string(),
  scopes_supported: Names,
  response_types_supported: Names,
  response_modes_supported: Names,
  grant_types_supported: Names,
  token_endpoint_auth_methods_supported: Names,
  revocation_endpoint_auth_methods_supported: Names,
  code_challenge_methods_supported: Names,
  authorization_response_iss_parameter_supported: z.boolean(),
  client_id_metadata_document_supported: z.boolean(),
  subject_types_supported: Names,
  id_token_signing_alg_values_supported: Names,
});

export const KeySet = named('KeySet', { keys: z.array(z.object({})) });

export const ClientParams = z.object({ client_id: z.string().describe('Identifier of the client') });

/** The grant of an MCP client. */
export const McpAuthorization = named('McpAuthorization', {
  client_id: z.string(),
  client_name: z.string(),
  registered_at: z.string(),
  authorized_at: z.string().describe('Time of the last consent'),
  last_used_at: z.string().nullable().describe('Written at most once a minute'),
  redirect_uri: z.string().describe('The URI that receives its codes'),
  platforms: z.array(z.enum(PLATFORMS)).describe('Platforms that it may use'),
  all_platforms: z.boolean().describe('Whether it may also use platforms added later'),
  agent_ids: z.array(z.string()).describe('Agents that it acts for'),
});

export const McpAuthorizationList = named('McpAuthorizationList', {
  authorizations: z.array(McpAuthorization),
});
