import { expect, test } from 'vitest';
import { isOidcVariable, readOidcProviders } from '../../../src/settings/oidc-providers.ts';
import { loadSettings } from '../../../src/settings/settings.ts';

const GOOGLE = { SVC_OIDC_GOOGLE_CLIENT_ID: 'id', SVC_OIDC_GOOGLE_CLIENT_SECRET: 'hush' };

test('there are no providers until one is configured', () => {
  expect(readOidcProviders({})).toEqual({ providers: [], mistakes: [] });
});

test('known providers need no issuer, others do, and there can be any number', () => {
  const { providers, mistakes } = readOidcProviders({
    ...GOOGLE,
    SVC_OIDC_MICROSOFT_CLIENT_ID: 'id2',
    SVC_OIDC_MICROSOFT_CLIENT_SECRET: 'hush2',
    SVC_OIDC_GITHUB_CLIENT_ID: 'id3',
    SVC_OIDC_GITHUB_CLIENT_SECRET: 'hush3',
    SVC_OIDC_ACME2_ISSUER: 'https://id.acme.example/realms/a/',
    SVC_OIDC_ACME2_CLIENT_ID: 'id4',
    SVC_OIDC_ACME2_CLIENT_SECRET: 'hush4',
  });
  expect(mistakes).toEqual([]);
  expect(providers).toEqual([
    {
      name: 'acme2',
      kind: 'openid',
      issuer: 'https://id.acme.example/realms/a/',
      clientId: 'id4',
      clientSecret: 'hush4',
    },
    { name: 'github', kind: 'github', issuer: 'https://github.com', clientId: 'id3', clientSecret: 'hush3' },
    {
      name: 'google',
      kind: 'openid',
      issuer: 'https://accounts.google.com',
      clientId: 'id',
      clientSecret: 'hush',
    },
    {
      name: 'microsoft',
      kind: 'openid',
      issuer: 'https://login.microsoftonline.com/common/v2.0',
      clientId: 'id2',
      clientSecret: 'hush2',
    },
  ]);
});

test('all missing or wrong variables are named, and no secret is repeated', () => {
  const { mistakes } = readOidcProviders({
    SVC_OIDC_ACME_CLIENT_SECRET: 'hush',
    SVC_OIDC_GOOGLE_CLIENT_ID: 'id',
    SVC_OIDC_GOOGLE_ISSUER: 'ftp://accounts.google.com',
  });
  expect(mistakes).toEqual([
    'SVC_OIDC_ACME_CLIENT_ID: is missing',
    'SVC_OIDC_ACME_ISSUER: is missing',
    'SVC_OIDC_GOOGLE_CLIENT_SECRET: is missing',
    expect.stringMatching(/^SVC_OIDC_GOOGLE_ISSUER: must be an https URL/),
  ]);
  expect(mistakes.join()).not.toContain('hush');
});

test.each([
  ['https://id.example', true],
  ['http://127.0.0.1:3000', true],
  ['http://localhost:3000', true],
  ['http://[::1]:3000', true],
  ['http://id.example', false],
  ['http://127.0.0.1.example', false],
  ['https://id.example/?a=b', false],
  ['https://user@id.example/', false],
  ['id.example', false],
])('the issuer %s is valid: %s', (issuer, isGood) => {
  const { providers } = readOidcProviders({ ...GOOGLE, SVC_OIDC_GOOGLE_ISSUER: issuer });
  expect(providers).toHaveLength(isGood ? 1 : 0);
});

test('providers are part of the settings, and misspelt variables are refused', () => {
  expect(isOidcVariable('SVC_OIDC_GOOGLE_CLIENT_ID')).toBe(true);
  const loaded = loadSettings(GOOGLE, '/nonexistent');
  expect('settings' in loaded && loaded.settings.oidcProviders).toMatchObject([{ name: 'google' }]);
  for (const name of ['SVC_OIDC_google_CLIENT_ID', 'SVC_OIDC_GOOGLE_CLIENTID', 'SVC_OIDC_2_CLIENT_ID']) {
    expect(loadSettings({ [name]: 'x' }, '/nonexistent')).toEqual({
      mistakes: [expect.stringContaining(`${name}: unknown variable`)],
    });
  }
});
