import type OAuth2Server from '@node-oauth/oauth2-server';
import { hashToken } from '../base/ids.ts';
import { deleteRows } from '../store/database/rows.ts';
import { findToken } from '../store/keys/oauth-grants.ts';
import {
  ACCESS_TOKEN_MS,
  type AuthorizationDomain,
  isResource,
  REFRESH_TOKEN_MS,
} from './authorization-domain.ts';
import { clientWith, type OAuthLibrary, tokenModel } from './token-model.ts';

const GRANT_TYPES = ['authorization_code', 'refresh_token'];
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A client's request to the token or the revocation endpoint. */
export interface ClientRequest {
  readonly form: Readonly<Record<string, string>>;
  /** '' when absent. */
  readonly authorization: string;
}

/** The response, as defined by RFC 6749, section 5. */
export interface ClientAnswer {
  readonly status: 200 | 400 | 401;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Exchanges a code or a refresh token for tokens. */
export type IssueTokens = (request: ClientRequest) => Promise<ClientAnswer>;

/** Loads the OAuth library on the first token request: on most gateways no client ever sends one. */
async function openLibrary(): Promise<OAuthLibrary> {
  return (await import('@node-oauth/oauth2-server')).default;
}

export function tokenIssuer(domain: AuthorizationDomain): IssueTokens {
  let opening: Promise<OAuthLibrary> | null = null;
  return async (request) => {
    const fault = faultIn(domain, request);
    if (fault !== null) return fault;
    opening ??= openLibrary().catch((error) => {
      opening = null;
      throw error;
    });
    return await answerBy(await opening, domain, request);
  };
}

/**
 * Returns the response to requests for which the library would report a different error. It authenticates the client
 * first, and knows grant types that this gateway does not support.
 */
function faultIn(domain: AuthorizationDomain, { form, authorization }: ClientRequest): ClientAnswer | null {
  const { grant_type = '', resource = '', client_secret = '' } = form;
  if (grant_type === '') return refusal('invalid_request', 'grant_type is missing');
  if (!GRANT_TYPES.includes(grant_type))
    return refusal('unsupported_grant_type', `grant_type must be ${GRANT_TYPES.join(' or ')}`);
  if (authorization !== '' && client_secret !== '')
    return refusal(
      'invalid_request',
      'Send the client credentials in the header or in the form, not in both',
    );
  if (resource !== '' && !isResource(domain, resource))
    return refusal('invalid_target', `resource must be ${domain.resource()}`);
  return null;
}

async function answerBy(
  library: OAuthLibrary,
  domain: AuthorizationDomain,
  request: ClientRequest,
): Promise<ClientAnswer> {
  const server = new library({
    model: tokenModel(domain, library, request.form.redirect_uri ?? ''),
    accessTokenLifetime: ACCESS_TOKEN_MS / 1_000,
    refreshTokenLifetime: REFRESH_TOKEN_MS / 1_000,
    allowExtendedTokenAttributes: true,
    // The model checks the secret of clients that have one. Other clients prove themselves with PKCE.
    requireClientAuthentication: { authorization_code: false, refresh_token: false },
  });
  const response = new library.Response();
  try {
    await server.token(libraryRequest(library, request), response);
  } catch (error) {
    if (!(error instanceof library.OAuthError) || error.code >= 500) throw error;
  }
  return answerOf(response);
}

export function refusal(error: string, description: string, status: 400 | 401 = 400): ClientAnswer {
  return { status, body: { error, error_description: description }, headers: {} };
}

function libraryRequest(library: OAuthLibrary, { form, authorization }: ClientRequest): OAuth2Server.Request {
  const headers = { 'content-type': FORM_TYPE, 'content-length': '1' };
  return new library.Request({
    method: 'POST',
    query: {},
    headers: authorization === '' ? headers : { ...headers, authorization },
    body: form,
  });
}

function answerOf({ status, body, headers }: OAuth2Server.Response): ClientAnswer {
  const challenge = headers?.['www-authenticate'];
  return {
    status: status === 200 || status === 401 ? status : 400,
    body,
    headers: challenge === undefined ? {} : { 'WWW-Authenticate': challenge },
  };
}

const DONE: ClientAnswer = { status: 200, body: {}, headers: {} };

/**
 * Revokes a token (RFC 7009) and with it the whole grant, including its other tokens. An unknown token, or one of
 * another client, is answered with 200 as well.
 */
export async function revokeToken(
  domain: AuthorizationDomain,
  { form, authorization }: ClientRequest,
): Promise<ClientAnswer> {
  const { db } = domain.store;
  const { clientId, secret } = basicCredentials(authorization) ?? {
    clientId: form.client_id ?? '',
    secret: form.client_secret ?? null,
  };
  const client = await clientWith(db, clientId, secret);
  if (!client) return refusal('invalid_client', 'Unknown client, or wrong client secret', 401);
  if (!form.token) return refusal('invalid_request', 'token is missing');
  const found = await findToken(db, hashToken(form.token));
  if (found?.grant.clientId !== clientId) return DONE;
  await deleteRows(db, 'oauthGrants', { id: found.grant.id });
  await domain.grants.refresh(found.grant.accountId);
  return DONE;
}

/** Returns the credentials of a Basic `Authorization` header; null when it has none. */
function basicCredentials(header: string): { clientId: string; secret: string } | null {
  const [, encoded] = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header) ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? null : { clientId: text.slice(0, colon), secret: text.slice(colon + 1) };
}
