import { type ClientAnswer, type ClientRequest, refusal } from '../../authorization/issue-tokens.ts';
import {
  type ClientMetadata,
  RegistrationRefused,
  registerClient,
} from '../../authorization/register-client.ts';
import { revokeToken } from '../../authorization/revoke-token.ts';
import { parseJson } from '../../base/json.ts';
import { type JsonReply, reply } from '../http/answer/reply.ts';
import { anyOrigin } from '../http/routing/cross-origin.ts';
import { type Route, type RouteRequest, resource } from '../http/routing/route.ts';
import { OAuthFault, OAuthTokens, RegisteredClient, RevokedToken } from '../schema/authorization.ts';
import type { AuthorizationContext } from './authorization-context.ts';

const open = resource('public', 'MCP authorization');
const REFUSED = { description: 'An OAuth error', schema: OAuthFault };

/** Routes that MCP clients call directly, without a user. */
export function clientRoutes({ domain, issueTokens }: AuthorizationContext): Route[] {
  return [
    open.post('/oauth/register', {
      crossOrigin: anyOrigin,
      operationId: 'registerClient',
      summary: 'Register an MCP client (RFC 7591)',
      description:
        'Reads redirect_uris, client_name and token_endpoint_auth_method. Clients that are never authorized are deleted to make room for new ones.',
      body: 'raw',
      responses: { 201: { description: 'The client', schema: RegisteredClient }, 400: REFUSED },
      fails: ['too_many_attempts'],
      handler: async ({ body, address }) => {
        try {
          const { client, secret } = await registerClient(domain, metadataIn(body), address);
          return reply(201, {
            client_id: client.clientId,
            client_name: client.clientName,
            client_id_issued_at: Math.floor(Date.parse(client.registeredAt) / 1_000),
            ...(secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 as const }),
            redirect_uris: [...client.redirectUris],
            grant_types: ['authorization_code', 'refresh_token'],
            response_types: ['code'],
            token_endpoint_auth_method: client.authMethod,
          });
        } catch (error) {
          if (!(error instanceof RegistrationRefused)) throw error;
          return reply(400, { error: error.code, error_description: error.message });
        }
      },
    }),
    open.post('/oauth/token', {
      crossOrigin: anyOrigin,
      operationId: 'issueTokens',
      summary: 'Get tokens for a code or a refresh token',
      description:
        'Takes a form. Codes and refresh tokens work once; using one again revokes all tokens issued from it. The same client may repeat a refresh within 60 seconds, until one of the new tokens is used, and gets the same tokens again. A refresh with a `scope` returns an access token for those platforms only. Access tokens are valid for an hour and end when they are refreshed.',
      headers: ['authorization'],
      body: 'raw',
      responses: { 200: { description: 'Tokens', schema: OAuthTokens }, 400: REFUSED, 401: REFUSED },
      handler: (request) => answerForm(request, issueTokens),
    }),
    open.post('/oauth/revoke', {
      crossOrigin: anyOrigin,
      operationId: 'revokeToken',
      summary: 'Revoke a token (RFC 7009)',
      description:
        'Takes a form. Revokes the access or refresh token and all tokens issued from the same code.',
      headers: ['authorization'],
      body: 'raw',
      responses: {
        200: { description: 'The token is not valid any more', schema: RevokedToken },
        400: REFUSED,
        401: REFUSED,
      },
      handler: (request) => answerForm(request, (asked) => revokeToken(domain, asked)),
    }),
  ];
}

function metadataIn(body: Uint8Array): ClientMetadata {
  try {
    const metadata: unknown = parseJson(Buffer.from(body).toString('utf8'));
    if (metadata !== null && typeof metadata === 'object') return metadata as ClientMetadata;
  } catch {
    // Reported below, like JSON that is not an object.
  }
  throw new RegistrationRefused('invalid_client_metadata', 'The body is not a JSON object');
}

/** Answers a form request. The domain already returns OAuth answers, which are sent unchanged. */
async function answerForm(
  request: Pick<RouteRequest<null, unknown, unknown, Uint8Array>, 'body' | 'header'>,
  answer: (asked: ClientRequest) => Promise<ClientAnswer>,
) {
  const form = parseForm(request.body);
  const answered =
    repeatedNames(form).length === 0
      ? await answer({ form: Object.fromEntries(form), authorization: request.header('authorization') })
      : refusal('invalid_request', 'A parameter is given more than once');
  return reply(answered.status, answered.body, answered.headers) as
    | JsonReply<200, never>
    | JsonReply<400 | 401, { error: string }>;
}

/** Parses a form sent by a browser or an OAuth client. Repeated fields keep all values. */
export function parseForm(body: Uint8Array): URLSearchParams {
  return new URLSearchParams(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
}

/** Names of repeated parameters, which OAuth forbids (RFC 6749, sections 3.1 and 3.2). */
export function repeatedNames(parameters: URLSearchParams): string[] {
  return [...new Set(parameters.keys())].filter((name) => parameters.getAll(name).length > 1);
}
