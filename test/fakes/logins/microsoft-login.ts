import { randomUUID } from 'node:crypto';
import { secondsNow, signIdToken } from './id-token.ts';
import { type Answer, type Dialect, LoginVendor, type Refusal } from './login-vendor.ts';

const ISSUER = 'https://login.microsoftonline.com';
const CONSENT = /^\/([\w.-]+)\/v2\.0\/adminconsent$/;

/** Code, error and words (https://learn.microsoft.com/entra/identity-platform/reference-error-codes). */
const REFUSALS: Readonly<Record<Refusal, readonly [number, string, string, number]>> = {
  wrong_client: [7000215, 'invalid_client', 'Invalid client secret provided.', 401],
  wrong_redirect: [
    50011,
    'invalid_request',
    'The redirect URI specified in the request does not match.',
    400,
  ],
  wrong_code: [9002313, 'invalid_grant', 'Invalid request. Request is malformed or invalid.', 400],
  expired_code: [
    70008,
    'invalid_grant',
    'The provided authorization code or refresh token has expired.',
    400,
  ],
  used_code: [54005, 'invalid_grant', 'OAuth2 Authorization code was already redeemed.', 400],
  wrong_verifier: [501481, 'invalid_grant', 'The Code_Verifier does not match the code_challenge.', 400],
  wrong_refresh_token: [
    50173,
    'invalid_grant',
    'The provided grant has expired due to it being revoked.',
    400,
  ],
  unsupported_grant: [70003, 'unsupported_grant_type', 'The app returned an unsupported grant type.', 400],
  malformed: [900144, 'invalid_request', 'The request body must contain the required parameters.', 400],
};

/** What an administrator does. */
export interface Administrator {
  /** The tenant in which the administrator approves; null: whichever was asked for. */
  tenant: string | null;
  /** The error instead of an approval; null: none. */
  error: readonly [error: string, description: string] | null;
}

/** Microsoft Entra ID, version 2.0, of accounts of work and school. */
export async function startMicrosoftLogin(administrator: Administrator): Promise<LoginVendor> {
  const dialect: Dialect = {
    paths: {
      authorize: /^\/organizations\/oauth2\/v2\.0\/authorize$/,
      token: /^\/organizations\/oauth2\/v2\.0\/token$/,
      revoke: null,
    },
    authentication: 'form',
    required: ['client_id', 'response_type', 'redirect_uri', 'scope', 'state', 'code_challenge'],
    optional: [
      ...['response_mode', 'prompt', 'code_challenge_method', 'nonce', 'login_hint', 'domain_hint'],
      // Which its own client libraries send.
      ...[
        'client-request-id',
        'x-client-SKU',
        'x-client-VER',
        'x-client-OS',
        'x-client-CPU',
        'client_info',
        'clidata',
        'claims',
      ],
      'X-AnchorMailbox',
    ],
    refreshTokens: 'renewed',
    refusal,
    // Scopes of OpenID Connect are left out of the answer.
    granted: () => 'https://graph.microsoft.com/User.Read https://graph.microsoft.com/.default',
    extras: ({ visitor: { id, tenant, name, email } }, { clientId, lifetimeS }) => ({
      ext_expires_in: lifetimeS,
      client_info: Buffer.from(JSON.stringify({ uid: id, utid: tenant })).toString('base64url'),
      id_token: signIdToken({
        aud: clientId,
        iss: `${ISSUER}/${tenant}/v2.0`,
        iat: secondsNow(),
        nbf: secondsNow(),
        exp: secondsNow() + 3_600,
        oid: id,
        tid: tenant,
        sub: randomUUID(),
        name,
        preferred_username: email,
        email,
        ver: '2.0',
      }),
    }),
    other: (request, url, vendor) => {
      const tenant = request.method === 'GET' ? CONSENT.exec(url.pathname)?.[1] : undefined;
      return tenant === undefined ? null : consent(url.searchParams, tenant, vendor, administrator);
    },
  };
  return await LoginVendor.start(dialect, { id: randomUUID(), secret: 'microsoft~client.secret_' });
}

function refusal(why: Refusal): Answer {
  const [code, error, words, status] = REFUSALS[why];
  return {
    status,
    body: {
      error,
      error_description: `AADSTS${code}: ${words} Trace ID: ${randomUUID()}`,
      error_codes: [code],
      timestamp: new Date().toISOString(),
      trace_id: randomUUID(),
      correlation_id: randomUUID(),
    },
  };
}

function consent(
  query: URLSearchParams,
  asked: string,
  { clientId, redirectUris }: LoginVendor,
  { tenant, error }: Administrator,
): Answer | { readonly location: URL } {
  const redirectUri = query.get('redirect_uri') ?? '';
  const names = [...query.keys()].sort().join();
  if (names !== 'client_id,redirect_uri,scope,state' || asked === 'common') return refusal('malformed');
  if (query.get('client_id') !== clientId || !redirectUris.has(redirectUri)) return refusal('wrong_redirect');
  const location = new URL(redirectUri);
  location.searchParams.set('state', query.get('state') ?? '');
  if (error !== null) {
    location.searchParams.set('error', error[0]);
    location.searchParams.set('error_description', error[1]);
  } else {
    location.searchParams.set('admin_consent', 'True');
    location.searchParams.set('tenant', tenant ?? asked);
    location.searchParams.set('scope', query.get('scope') ?? '');
  }
  return { location };
}
