import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { GithubProvider } from '../../../../src/accounts/identities/github-provider.ts';

const SECRETS = { state: 'state-1', nonce: 'unused', codeVerifier: 'v'.repeat(43) };
const CALLBACK = 'http://127.0.0.1:1/auth/oauth/github/callback';

interface Fake {
  readonly provider: GithubProvider;
  /** Request bodies that the token endpoint received. */
  readonly redeemed: URLSearchParams[];
}

/** Answers as GitHub's documentation says: errors of the token endpoint come with 200. */
async function fakeGithub(answers: { token?: unknown; user?: unknown; emails?: unknown }): Promise<Fake> {
  const redeemed: URLSearchParams[] = [];
  const { token = { access_token: 'gho_1', token_type: 'bearer', scope: 'read:user,user:email' } } = answers;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (body: unknown) => {
      response.writeHead(body === undefined ? 404 : 200, {
        'content-type': 'application/json; charset=utf-8',
      });
      response.end(JSON.stringify(body));
    };
    if (request.url === '/login/oauth/access_token') {
      redeemed.push(new URLSearchParams(await text(request)));
      expect(request.headers.accept).toContain('application/json');
      return send(token);
    }
    expect(request.headers.authorization?.toLowerCase()).toBe('bearer gho_1');
    if (request.url === '/api/v3/user') return send(answers.user);
    return send(request.url === '/api/v3/user/emails' ? answers.emails : undefined);
  };
  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new GithubProvider({ name: 'github', issuer, clientId: 'id', clientSecret: 'hush' });
  return { provider, redeemed };
}

const callback = (query: string) => new URL(`${CALLBACK}?${query}`);

test('the browser is redirected with a state and a challenge', async () => {
  const { provider } = await fakeGithub({});
  const url = new URL(await provider.authorizationUrl(SECRETS, CALLBACK));
  expect(url.pathname).toBe('/login/oauth/authorize');
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: 'id',
    redirect_uri: CALLBACK,
    state: 'state-1',
    code_challenge: createHash('sha256').update(SECRETS.codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
});

test('an identity consists of the user id and the primary address that the API returns', async () => {
  const { provider, redeemed } = await fakeGithub({
    user: { id: 583_231, login: 'octocat', name: null },
    emails: [
      { email: 'other@example.com', primary: false, verified: true, visibility: null },
      { email: 'Octo@Example.com', primary: true, verified: true, visibility: 'private' },
    ],
  });
  expect(await provider.identify(SECRETS, callback('code=c1&state=state-1'))).toEqual({
    provider: 'github',
    subject: '583231',
    email: 'octo@example.com',
    emailVerified: true,
    name: 'octocat',
  });
  expect(Object.fromEntries(redeemed[0]!)).toMatchObject({
    code: 'c1',
    code_verifier: SECRETS.codeVerifier,
    redirect_uri: CALLBACK,
  });
});

test('an address that GitHub did not verify is reported as unverified', async () => {
  const { provider } = await fakeGithub({
    user: { id: 1, login: 'm' },
    emails: [{ email: 'victim@example.com', primary: true, verified: false }],
  });
  const proven = await provider.identify(SECRETS, callback('code=c1&state=state-1'));
  expect(proven).toMatchObject({ email: 'victim@example.com', emailVerified: false });
});

test.each([
  ['another state', 'code=c1&state=state-2', {}],
  ['a used code', 'code=c1&state=state-1', { token: { error: 'bad_verification_code' } }],
])('%s is refused', async (_what, query, answers) => {
  const { provider } = await fakeGithub(answers);
  await expect(provider.identify(SECRETS, callback(query))).rejects.toMatchObject({
    code: 'sign_in_refused',
  });
});

test('an API that does not answer is reported as a fault of the provider', async () => {
  const { provider } = await fakeGithub({ user: undefined });
  const failing = provider.identify(SECRETS, callback('code=c1&state=state-1'));
  await expect(failing).rejects.toMatchObject({ code: 'identity_provider_failed' });
});
