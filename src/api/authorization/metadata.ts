import type { AuthorizationDomain } from '../../authorization/authorization-domain.ts';
import { SCOPE_NAMES } from '../../authorization/scope-names.ts';
import { reply } from '../http/answer/reply.ts';
import { anyOrigin } from '../http/routing/cross-origin.ts';
import { type Route, route } from '../http/routing/route.ts';
import { KeySet, ResourceMetadata, ServerMetadata } from '../schema/authorization.ts';

const TAGS = ['MCP authorization'] as const;
const RESOURCE_PATH = '/.well-known/oauth-protected-resource';

/**
 * URL of the protected resource metadata (RFC 9728), for the `WWW-Authenticate` header of requests without a token.
 * `path` is the requested path; the metadata names the resource with the same spelling.
 */
export function resourceMetadataUrl(publicUrl: string, path: string): string {
  return `${publicUrl}${RESOURCE_PATH}/mcp${path.endsWith('/') ? '/' : ''}`;
}

/** Routes that describe the authorization server to MCP clients. */
export function metadataRoutes(domain: AuthorizationDomain): Route[] {
  return [
    resource(domain, RESOURCE_PATH, 'getResourceMetadata'),
    resource(domain, `${RESOURCE_PATH}/mcp`, 'getMcpResourceMetadata'),
    server(domain, '/.well-known/oauth-authorization-server', 'getAuthorizationServer'),
    server(domain, '/.well-known/openid-configuration', 'getOpenIdConfiguration'),
    route({
      method: 'get',
      path: '/.well-known/jwks.json',
      access: 'public',
      crossOrigin: anyOrigin,
      operationId: 'getKeySet',
      summary: 'Get the keys that sign ID tokens (always empty: no ID tokens are issued)',
      tags: TAGS,
      responses: { 200: { description: 'An empty set', schema: KeySet } },
      handler: () => reply(200, { keys: [] }),
    }),
  ];
}

/**
 * The protected resource metadata. Clients expect the resource spelled as they requested it, with or without a trailing
 * slash.
 */
function resource(domain: AuthorizationDomain, path: `/${string}`, operationId: string): Route {
  return route({
    method: 'get',
    path,
    access: 'public',
    crossOrigin: anyOrigin,
    operationId,
    summary: 'Get the protected resource metadata (RFC 9728)',
    tags: TAGS,
    responses: { 200: { description: 'Metadata of the MCP server', schema: ResourceMetadata } },
    handler: ({ path: asked }) =>
      reply(200, {
        resource: asked === `${RESOURCE_PATH}/mcp` ? domain.resource().replace(/\/$/, '') : domain.resource(),
        authorization_servers: [domain.issuer()],
        bearer_methods_supported: ['header'],
        resource_name: 'Voice and chat gateway',
      }),
  });
}

/**
 * The authorization server metadata. OpenID Connect requires more: no ID tokens are issued, so the key set is empty.
 */
function server({ issuer }: AuthorizationDomain, path: `/${string}`, operationId: string): Route {
  return route({
    method: 'get',
    path,
    access: 'public',
    crossOrigin: anyOrigin,
    operationId,
    summary: 'Get the authorization server metadata (RFC 8414)',
    tags: TAGS,
    responses: { 200: { description: 'The metadata', schema: ServerMetadata } },
    handler: () => {
      const root = issuer();
      return reply(200, {
        issuer: root,
        authorization_endpoint: `${root}/oauth/authorize`,
        token_endpoint: `${root}/oauth/token`,
        registration_endpoint: `${root}/oauth/register`,
        revocation_endpoint: `${root}/oauth/revoke`,
        jwks_uri: `${root}/.well-known/jwks.json`,
        scopes_supported: [...SCOPE_NAMES],
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['none'],
      });
    },
  });
}
