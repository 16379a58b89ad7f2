import { expect, test } from 'vitest';
import { tokenIssuer } from '../../../src/authorization/issue-tokens.ts';
import { connecting, refreshIn } from './connecting.ts';
import { REDIRECT } from './test-domain.ts';

test.each([
  ['no grant type', {}, 'invalid_request'],
  ['an empty grant type', { grant_type: '' }, 'invalid_request'],
  ['passwords', { grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type'],
  ['credentials', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
  [
    'an unknown grant type',
    { grant_type: 'urn:ietf:params:oauth:grant-type:device_code' },
    'unsupported_grant_type',
  ],
  ['an object property as grant type', { grant_type: 'constructor' }, 'unsupported_grant_type'],
  ['no code', { grant_type: 'authorization_code', redirect_uri: REDIRECT }, 'invalid_request'],
  ['no refresh token', { grant_type: 'refresh_token' }, 'invalid_request'],
  ['a wrong code', { grant_type: 'authorization_code', code: 'x', redirect_uri: REDIRECT }, 'invalid_grant'],
  ['a wrong refresh token', { grant_type: 'refresh_token', refresh_token: 'x' }, 'invalid_grant'],
])('%s gets an OAuth error', async (_what, form, error) => {
  const { ask } = await connecting();
  expect(await ask(form as Record<string, string>)).toMatchObject({ status: 400, body: { error } });
});

test.each(['http://127.0.0.1:33418/other', 'https://evil.example/', 'not an address'])(
  'a code that is redeemed for %s is used up',
  async (redirect_uri) => {
    const { say, redeem } = await connecting();
    const code = await say();
    expect(await redeem(code, { redirect_uri })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    expect((await redeem(code)).body).toMatchObject({ error: 'invalid_grant' });
  },
);

test('a client may authenticate in one way only', async () => {
  const { say, redeem, clientId, domain } = await connecting();
  const form = { grant_type: 'refresh_token', refresh_token: refreshIn(await redeem(await say())) };
  const authorization = `Basic ${Buffer.from(`${clientId}:`).toString('base64')}`;
  const both = await tokenIssuer(domain)({ form: { ...form, client_secret: 's' }, authorization });
  expect(both).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
});
