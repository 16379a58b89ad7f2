import { secondsNow, signIdToken } from './id-token.ts';
import { type Answer, type Dialect, LoginVendor, type Refusal } from './login-vendor.ts';

const WORDS: Readonly<Record<Refusal, readonly [string, string, number]>> = {
  wrong_client: ['invalid_client', 'The provided client secret is invalid.', 401],
  wrong_redirect: ['redirect_uri_mismatch', 'Bad Request', 400],
  wrong_code: ['invalid_grant', 'Malformed auth code.', 400],
  expired_code: ['invalid_grant', 'Bad Request', 400],
  used_code: ['invalid_grant', 'Bad Request', 400],
  wrong_verifier: ['invalid_grant', 'Invalid code verifier.', 400],
  wrong_refresh_token: ['invalid_grant', 'Token has been expired or revoked.', 400],
  unsupported_grant: ['unsupported_grant_type', 'Invalid grant_type', 400],
  malformed: ['invalid_request', 'Missing or unknown parameter', 400],
};

/** Google's OAuth 2.0 for web server applications. `unticked`: scopes that the person does not grant. */
export async function startGoogleLogin(unticked: Set<string> = new Set()): Promise<LoginVendor> {
  const dialect: Dialect = {
    paths: { authorize: /^\/o\/oauth2\/v2\/auth$/, token: /^\/token$/, revoke: /^\/revoke$/ },
    authentication: 'form',
    required: [
      'client_id',
      'response_type',
      'redirect_uri',
      'scope',
      'state',
      'code_challenge',
      'access_type',
    ],
    optional: ['prompt', 'code_challenge_method', 'include_granted_scopes', 'login_hint', 'nonce'],
    refreshTokens: 'kept',
    refusal,
    // Short names come back as the scopes that they stand for.
    granted: (asked) =>
      asked
        .split(' ')
        .map((name) =>
          /^(profile|email)$/.test(name) ? `https://www.googleapis.com/auth/userinfo.${name}` : name,
        )
        .filter((name) => !unticked.has(name))
        .join(' '),
    extras: ({ visitor: { id, name, email } }, { clientId }) => ({
      id_token: signIdToken({
        iss: 'https://accounts.google.com',
        azp: clientId,
        aud: clientId,
        sub: id,
        email,
        email_verified: true,
        name,
        iat: secondsNow(),
        exp: secondsNow() + 3_600,
      }),
    }),
    other: () => null,
  };
  const id = '407408718192-fake.apps.googleusercontent.com';
  return await LoginVendor.start(dialect, { id, secret: 'GOCSPX-google-client-secret' });
}

function refusal(why: Refusal): Answer {
  const [error, error_description, status] = WORDS[why];
  return { status, body: { error, error_description } };
}
