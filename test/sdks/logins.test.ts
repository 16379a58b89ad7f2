import { hash } from 'node:crypto';
import { ConfidentialClientApplication, type INetworkModule, type NetworkResponse } from '@azure/msal-node';
import { CodeChallengeMethod, OAuth2Client } from 'google-auth-library';
import * as openid from 'openid-client';
import { expect, it, onTestFinished } from 'vitest';
import { startGoogleLogin } from '../fakes/logins/google-login.ts';
import { idTokenCertificates } from '../fakes/logins/id-token.ts';
import type { LoginVendor } from '../fakes/logins/login-vendor.ts';
import { startMicrosoftLogin } from '../fakes/logins/microsoft-login.ts';
import { startZoomLogin } from '../fakes/logins/zoom-login.ts';

const REDIRECT = 'http://127.0.0.1:9/callback';
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = hash('sha256', VERIFIER, 'base64url');
const ANN = {
  id: 'b1a5f2b0-0000-4000-8000-000000000001',
  tenant: 'b1a5f2b0-0000-4000-8000-000000000002',
  name: 'Ann',
  email: 'ann@contoso.example',
};

function opened(vendor: LoginVendor): LoginVendor {
  onTestFinished(() => vendor.stop());
  vendor.redirectUris.add(REDIRECT);
  vendor.visitor = ANN;
  return vendor;
}

async function redirectOf(url: string | URL): Promise<URL> {
  const answer = await fetch(url, { redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? `about:${answer.status}`);
}

it('serves the library of Microsoft, MSAL', async () => {
  const vendor = opened(await startMicrosoftLogin({ tenant: null, error: null }));
  const client = new ConfidentialClientApplication({
    auth: {
      clientId: vendor.clientId,
      clientSecret: vendor.clientSecret,
      authority: 'https://login.microsoftonline.com/organizations',
    },
    system: { networkClient: networkTo(vendor.url) },
  });
  const request = { scopes: ['User.Read'], redirectUri: REDIRECT };
  const url = await client.getAuthCodeUrl({
    ...request,
    state: 'state',
    codeChallenge: CHALLENGE,
    codeChallengeMethod: 'S256',
  });
  const back = await redirectOf(url.replace('https://login.microsoftonline.com', vendor.url));
  const code = back.searchParams.get('code')!;
  const tokens = await client.acquireTokenByCode({ ...request, code, codeVerifier: VERIFIER });
  expect(tokens).toMatchObject({ tenantId: ANN.tenant, idTokenClaims: { oid: ANN.id, tid: ANN.tenant } });
  const account = tokens.account!;
  const fresh = await client.acquireTokenSilent({ scopes: ['User.Read'], account, forceRefresh: true });
  expect(vendor.grantOf(fresh!.accessToken)?.visitor).toBe(ANN);
  await expect(client.acquireTokenByCode({ ...request, code, codeVerifier: VERIFIER })).rejects.toThrow(
    'AADSTS54005',
  );
});

/** MSAL accepts only Microsoft's own hosts over TLS. */
function networkTo(origin: string): INetworkModule {
  const send = async <T>(
    method: string,
    url: string,
    options: { headers?: Record<string, string>; body?: string } = {},
  ) => {
    const at = url.replace('https://login.microsoftonline.com', origin);
    const { headers = {}, body } = options;
    const answer = await fetch(at, { method, headers, ...(body === undefined ? {} : { body }) });
    const { status } = answer;
    return {
      headers: Object.fromEntries(answer.headers),
      body: await answer.json(),
      status,
    } as NetworkResponse<T>;
  };
  return {
    sendGetRequestAsync: (url, options) => send('GET', url, options),
    sendPostRequestAsync: (url, options) => send('POST', url, options),
  };
}

it('serves the library of Google', async () => {
  const vendor = opened(await startGoogleLogin());
  const { clientId, clientSecret, url } = vendor;
  const client = new OAuth2Client({
    clientId,
    clientSecret,
    redirectUri: REDIRECT,
    endpoints: {
      oauth2AuthBaseUrl: `${url}/o/oauth2/v2/auth`,
      oauth2TokenUrl: `${url}/token`,
      oauth2RevokeUrl: `${url}/revoke`,
    },
  });
  const back = await redirectOf(
    client.generateAuthUrl({
      access_type: 'offline',
      scope: ['openid', 'email'],
      state: 'state',
      code_challenge: CHALLENGE,
      code_challenge_method: CodeChallengeMethod.S256,
    }),
  );
  const code = back.searchParams.get('code')!;
  const { tokens } = await client.getToken({ code, codeVerifier: VERIFIER });
  const ticket = await client.verifySignedJwtWithCertsAsync(
    tokens.id_token!,
    idTokenCertificates(),
    clientId,
    ['https://accounts.google.com'],
  );
  expect(ticket.getPayload()).toMatchObject({ sub: ANN.id, email: ANN.email });
  client.setCredentials({ refresh_token: tokens.refresh_token! });
  const { credentials } = await client.refreshAccessToken();
  expect(vendor.grantOf(credentials.access_token!)?.visitor).toBe(ANN);
  await client.revokeToken(tokens.refresh_token!);
  await expect(client.refreshAccessToken()).rejects.toThrow('invalid_grant');
});

it('serves openid-client as Zoom does', async () => {
  const vendor = opened(await startZoomLogin());
  const { url, clientId, clientSecret } = vendor;
  const server = {
    issuer: url,
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    revocation_endpoint: `${url}/oauth/revoke`,
  };
  const config = new openid.Configuration(server, clientId, {}, openid.ClientSecretBasic(clientSecret));
  openid.allowInsecureRequests(config);
  const parameters = { redirect_uri: REDIRECT, state: 'state', code_challenge: CHALLENGE };
  const back = await redirectOf(
    openid.buildAuthorizationUrl(config, { ...parameters, code_challenge_method: 'S256' }),
  );
  const checks = { pkceCodeVerifier: VERIFIER, expectedState: 'state' };
  const tokens = await openid.authorizationCodeGrant(config, back, checks);
  const fresh = await openid.refreshTokenGrant(config, tokens.refresh_token!);
  expect(vendor.grantOf(fresh.access_token)?.visitor).toBe(ANN);
  // The former one was replaced.
  await expect(openid.refreshTokenGrant(config, tokens.refresh_token!)).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  await openid.tokenRevocation(config, fresh.access_token);
  expect(vendor.grantOf(fresh.access_token)).toBeNull();
});

it.each(['client_id', 'redirect_uri', 'code_challenge', 'state'])(
  'each refuses a request without %s, and shows that at once',
  async (name) => {
    for (const [vendor, path] of [
      [
        opened(await startMicrosoftLogin({ tenant: null, error: null })),
        '/organizations/oauth2/v2.0/authorize',
      ],
      [opened(await startGoogleLogin()), '/o/oauth2/v2/auth'],
      [opened(await startZoomLogin()), '/oauth/authorize'],
    ] as const) {
      const whole = {
        client_id: vendor.clientId,
        response_type: 'code',
        redirect_uri: REDIRECT,
        state: 's',
        code_challenge: CHALLENGE,
        code_challenge_method: 'S256',
        ...(path.startsWith('/oauth') ? {} : { scope: 'openid' }),
        ...(path.startsWith('/o/') ? { access_type: 'offline' } : {}),
      };
      const query = new URLSearchParams(whole);
      expect((await redirectOf(`${vendor.url}${path}?${query}`)).origin).toBe(new URL(REDIRECT).origin);
      query.delete(name);
      expect((await redirectOf(`${vendor.url}${path}?${query}`)).protocol).toBe('about:');
      query.set(name, 'wrong');
      if (name === 'client_id' || name === 'redirect_uri')
        expect((await redirectOf(`${vendor.url}${path}?${query}`)).protocol).toBe('about:');
    }
  },
);
