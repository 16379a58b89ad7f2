import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeVendors } from '../fakes/speech-vendor/all-vendors.ts';
import { CookieBrowser } from '../support/browser-cookies.ts';
import { Gateway } from '../support/gateway.ts';
import { startWithProvider } from '../support/gateway-with-provider.ts';
import { IdentityProviderPeer } from '../support/identity-provider.ts';
import { mailedLinks, memberOf } from '../support/member.ts';
import type { Person } from '../support/person.ts';
import { plaintextsIn, storedText } from '../support/plaintext.ts';
import { waitFor } from '../support/wait-for.ts';

const EMAIL = 'keeper@example.com';
const NEW_PASSWORD = 'another password, chosen later';

let gateway: Gateway;
let person: Person;
let vendors: FakeVendors;
/** Mails that cannot be sent are logged with their links, so their tokens may appear there. */
const mailTokens: string[] = [];

beforeAll(async () => {
  vendors = await FakeVendors.start();
  const env = {
    SVC_SIGNUP: 'open',
    SVC_LOG_LEVEL: 'trace',
    SVC_SIP_TRUNK_ALLOW: '127.0.0.1',
    ...vendors.settings,
  };
  gateway = await Gateway.start({ env });
  person = await memberOf(gateway, EMAIL);
  await useSecrets();
});
afterAll(async () => {
  await gateway?.stop();
  await vendors?.stop();
});

/** Uses every kind of secret that a gateway accepts or returns, once. */
async function useSecrets(): Promise<void> {
  const keep = (secret: string): string => {
    gateway.secrets.add(secret);
    return secret;
  };
  const ask = (method: string, path: string, body?: unknown) => ok(person.request(method, path, body));
  const trunk = { host: '127.0.0.1', port: 9, username: 'u', register: false };
  await ask('PUT', '/api/sip/trunk', { ...trunk, password: keep('the-password-of-the-trunk') });
  await ask('POST', '/api/bot-tokens', {
    platform: 'slack',
    bot_token: keep('xoxb-1234567890-the-token-of-the-bot'),
    slack_signing_secret: keep('0123456789abcdef0123456789abcdef'),
  });
  const agent = await ask('POST', '/api/agents', { name: 'Keeper' });
  const config = { api_key: keep('sk-proj-the-key-of-the-provider'), model: 'gpt-5' };
  await ask('PATCH', `/api/agents/${agent.id}/provider`, { provider: 'openai', config });
  const api_key = keep(vendors.by.deepgram.keyThatIs('valid'));
  const preset = await ask('POST', '/api/voice-configs', { kind: 'stt', provider: 'deepgram', api_key });
  const refused = { api_key: keep('dg-a-key-that-nobody-knows') };
  const answer = await person.request('PATCH', `/api/voice-configs/${preset.id}`, refused);
  expect([answer.status, answer.body.detail]).toEqual([
    400,
    'Deepgram refused the key: Invalid credentials.',
  ]);
  await person.request('POST', '/api/providers/elevenlabs/voices', refused);
  for (const [method, path, body] of [
    ['POST', '/api/api-keys', { name: 'one' }],
    ['POST', '/api/settings-keys', { name: 'two' }],
    ['POST', `/api/agents/${agent.id}/keys`, { name: 'three' }],
    ['GET', `/api/agents/${agent.id}/internal-bearer`, undefined],
    ['POST', `/api/agents/${agent.id}/internal-bearer/rotate`, undefined],
  ] as const) {
    for (const key of keysIn(await ask(method, path, body))) keep(key);
  }
  const invite = JSON.stringify(await ask('POST', '/api/invite-link'));
  for (const [token] of invite.matchAll(/[\w-]{22,}/g)) keep(token);
  await resetPassword(keep);
}

async function resetPassword(keep: (secret: string) => string): Promise<void> {
  const api = gateway.api(null);
  await ok(api.post('/auth/forgot-password', { email: EMAIL }));
  const links = await waitFor('the reset mail', async () => {
    const all = await mailedLinks(gateway, EMAIL);
    return all.some((link) => link.includes('reset-password')) && all;
  });
  const tokens = links.flatMap((link) => new URL(link).searchParams.get('token') ?? []);
  mailTokens.push(...tokens.map(keep));
  await ok(api.post('/auth/reset-password', { token: tokens.at(-1), password: keep(NEW_PASSWORD) }));
  const answer = await api.post('/auth/login', { email: EMAIL, password: NEW_PASSWORD });
  keep(/svc_session=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')![1]!);
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads the ids that it needs
async function ok(asked: Promise<{ status: number; body: any }>): Promise<any> {
  const { status, body } = await asked;
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body;
}

const keysIn = (body: unknown): string[] => JSON.stringify(body).match(/svc_[\w-]{40,}/g) ?? [];

it('logs no secrets except in mails that it cannot send', () => {
  const others = [...gateway.secrets].filter((secret) => !mailTokens.includes(secret));
  expect(plaintextsIn(gateway.output, others)).toEqual([]);
});

it('stores no secret in plain text in the database, before or after a restart', async () => {
  expect(gateway.secrets.size).toBeGreaterThan(14);
  expect(plaintextsIn(storedText(gateway.dataFolder), gateway.secrets)).toEqual([]);
  // The test itself must be able to find something.
  expect(plaintextsIn(storedText(gateway.dataFolder), [EMAIL, 'Keeper'])).toEqual(
    expect.arrayContaining([`${EMAIL} (plain)`, 'Keeper (plain)']),
  );
  await gateway.restart();
  expect(plaintextsIn(storedText(gateway.dataFolder), gateway.secrets)).toEqual([]);
});

it('exports no secrets', async () => {
  const api = gateway.api(null);
  const { headers } = await api.post('/auth/login', { email: EMAIL, password: NEW_PASSWORD });
  const cookie = headers.get('set-cookie')!.split(';')[0]!;
  gateway.secrets.add(cookie.split('=')[1]!);
  const answer = await fetch(`${gateway.baseUrl}/api/export`, { headers: { cookie } });
  const text = await answer.text();
  expect(answer.status).toBe(200);
  expect(text).toContain(EMAIL);
  expect(plaintextsIn(text, gateway.secrets)).toEqual([]);
});

it('signs people in at a configured provider without storing or logging secrets', async () => {
  const { peer, gateway: other } = await startWithProvider(undefined, { SVC_LOG_LEVEL: 'trace' });
  peer.person = { subject: 'olga', email: 'olga@example.com', emailVerified: true };
  try {
    const browser = new CookieBrowser();
    const start = await browser.get(`${other.baseUrl}/auth/oauth/acme/start`);
    const asked = new URL(start.headers.get('location')!);
    for (const name of ['state', 'nonce']) other.secrets.add(asked.searchParams.get(name)!);
    other.secrets.add(IdentityProviderPeer.clientSecret);
    expect(plaintextsIn(storedText(other.dataFolder), other.secrets)).toEqual([]);
    const callback = await browser.goUntil(asked, ({ pathname }) => pathname === '/auth/oauth/acme/callback');
    expect((await browser.get(callback)).status).toBe(200);
    other.secrets.add(browser.cookie('svc_session')!);
    const identities = await browser.get(`${other.baseUrl}/auth/identities`);
    expect(await identities.json()).toMatchObject({
      identities: [{ provider: 'acme', email: 'olga@example.com' }],
    });
    expect(plaintextsIn(other.output, other.secrets)).toEqual([]);
  } finally {
    await other.stop();
    await peer.stop();
  }
});
