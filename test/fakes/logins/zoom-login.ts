import { type Answer, type Dialect, LoginVendor, type Refusal } from './login-vendor.ts';

const WORDS: Readonly<Record<Refusal, readonly [string, string, number]>> = {
  wrong_client: ['invalid_client', 'Invalid client_id or client_secret', 401],
  wrong_redirect: ['invalid_request', 'Redirect URI mismatch.', 400],
  wrong_code: ['invalid_grant', 'Invalid authorization code', 400],
  expired_code: ['invalid_grant', 'Invalid authorization code', 400],
  used_code: ['invalid_grant', 'Invalid authorization code', 400],
  wrong_verifier: ['invalid_grant', 'Invalid code_verifier', 400],
  wrong_refresh_token: ['invalid_grant', 'Invalid Token!', 400],
  unsupported_grant: ['unsupported_grant_type', 'unsupported grant type', 400],
  malformed: ['invalid_request', 'Missing or unknown parameter', 400],
};

/** Zoom's OAuth 2.0 of user-managed apps, and `GET /v2/users/me`. */
export async function startZoomLogin(): Promise<LoginVendor> {
  const dialect: Dialect = {
    paths: { authorize: /^\/oauth\/authorize$/, token: /^\/oauth\/token$/, revoke: /^\/oauth\/revoke$/ },
    authentication: 'basic',
    required: ['client_id', 'response_type', 'redirect_uri', 'state', 'code_challenge'],
    optional: ['code_challenge_method'],
    refreshTokens: 'replaced',
    refusal,
    granted: () => 'user:read:user',
    extras: () => ({ api_url: 'https://api.zoom.us' }),
    other: ({ headers }, { pathname }, vendor) => {
      if (pathname !== '/v2/users/me') return null;
      const grant = vendor.grantOf((headers.authorization ?? '').replace(/^Bearer /, ''));
      if (grant === null) return { status: 401, body: { code: 124, message: 'Invalid access token.' } };
      const { id, name, email } = grant.visitor;
      return { status: 200, body: { id, display_name: name, email, type: 1, account_id: 'acc', pmi: 1 } };
    },
  };
  return await LoginVendor.start(dialect, { id: 'zoom_client_id_', secret: 'zoom-client-secret-of-the-app' });
}

/** Its words are in `reason`. */
function refusal(why: Refusal): Answer {
  const [error, reason, status] = WORDS[why];
  return { status, body: { reason, error } };
}
