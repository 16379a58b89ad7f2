import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Gateway } from '../support/gateway.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { startWithMailbox } from '../support/gateway-with-mailbox.ts';
import { linkIn, type Mailbox } from '../support/mailbox.ts';
import { memberOf } from '../support/member.ts';
import { OAuthClient } from '../support/oauth-client.ts';
import { Person } from '../support/person.ts';
import { waitFor } from '../support/wait-for.ts';

const NEW_PASSWORD = 'the new password of the owner';
const VERIFY = 'Confirm your email address';
const RESET = 'Set a new password';

let mailbox: Mailbox;
let gateway: Gateway;

beforeAll(async () => {
  // Lets a test choose the address that its requests come from.
  ({ mailbox, gateway } = await startWithMailbox({ SVC_TRUSTED_PROXIES: '127.0.0.1' }));
});
afterAll(async () => {
  await gateway?.stop();
  await mailbox?.close();
});

const member = (email: string): Promise<Person> =>
  memberOf(gateway, email, async () => linkIn(await mailbox.take(email, VERIFY)));

async function resetToken(email: string): Promise<string> {
  await new Person(gateway.baseUrl, email).request('POST', '/auth/forgot-password', { email });
  return new URL(linkIn(await mailbox.take(email, RESET))).searchParams.get('token')!;
}

async function resetPassword(email: string): Promise<void> {
  const owner = new Person(gateway.baseUrl, email);
  const wanted = { token: await resetToken(email), password: NEW_PASSWORD };
  expect((await owner.request('POST', '/auth/reset-password', wanted)).status).toBe(200);
}

it('who signs up with the address of another cannot create credentials, and loses those that came later', async () => {
  const email = 'victim@example.com';
  const mallory = new Person(gateway.baseUrl, email);
  await mallory.signUp();
  await mallory.signIn();
  const client = await OAuthClient.register(gateway);
  const page = await client.ask(mallory);
  expect([page.status, page.sentTo, page.html.includes('Confirm your email address first')]).toEqual([
    403,
    null,
    true,
  ]);
  const [agent] = (await mallory.request('GET', '/api/agents')).body.agents;
  const provider = { provider: 'custom', config: { endpoint: 'https://evil.example/' } };
  for (const [method, path, body] of [
    ['POST', '/api/settings-keys', { name: 'x' }],
    ['POST', '/api/invite-link', undefined],
    ['POST', '/api/bot-tokens', { platform: 'telegram', bot_token: '123456:abcdefghijklmnopqrstuvwxyz' }],
    ['PATCH', `/api/agents/${agent.id}/provider`, provider],
    ['POST', '/api/voice-configs', { kind: 'tts', provider: 'local' }],
  ] as const) {
    const answer = await mallory.request(method, path, body);
    expect([path, answer.status, answer.body.detail]).toEqual([path, 403, 'Email address is not verified']);
  }

  // The owner, or a program that reads their mail, follows the link.
  const link = linkIn(await mailbox.take(email, VERIFY));
  expect((await fetch(link, { method: 'POST' })).status).toBe(200);
  await mallory.signIn();
  const key = (await mallory.request('POST', '/api/settings-keys', { name: 'x' })).body.key;
  const { access, refresh } = await (await OAuthClient.register(gateway)).connect(mallory);
  expect((await gateway.api(key).get('/api/agents')).status).toBe(200);
  expect((await gateway.api(access).get('/api/calls')).status).toBe(200);
  await resetPassword(email);
  expect((await mallory.request('GET', '/api/calls')).status).toBe(401);
  expect((await gateway.api(key).get('/api/agents')).status).toBe(401);
  expect((await gateway.api(access).get('/api/calls')).status).toBe(401);
  expect((await (await OAuthClient.register(gateway)).refresh(refresh)).status).toBe(400);
});

it('a thief with a session gets no key from a request that a password reset interrupts', async () => {
  const email = 'slow@example.com';
  const thief = await member(email);
  const body = JSON.stringify({ name: 'kept' });
  const { hostname, port } = new URL(gateway.baseUrl);
  const socket = connect(Number(port), hostname);
  const heard = new Promise<string>((resolve, reject) => {
    let text = '';
    socket.on('data', (data) => {
      text += data;
      if (text.includes('\r\n\r\n')) resolve(text);
    });
    socket.on('error', reject);
  });
  const head = [
    'POST /api/settings-keys HTTP/1.1',
    `Host: ${hostname}:${port}`,
    `Cookie: ${thief.cookie}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 3)}`);
  await resetPassword(email);
  socket.write(body.slice(3));
  expect(await heard).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
});

it('HEAD has no side effects on routes where GET has them', async () => {
  const person = await member('head@example.com');
  const client = await OAuthClient.register(gateway);
  await client.connect(person);
  const head = async (path: string) =>
    await fetch(`${gateway.baseUrl}${path}`, {
      method: 'HEAD',
      redirect: 'manual',
      headers: { Cookie: person.cookie! },
    });
  const codes = () => readGatewayRows(gateway.dataFolder, 'select id from oauth_grants').length;
  const before = codes();
  const answer = await head(client.authorizeUrl());
  expect([answer.status, answer.headers.get('location'), codes()]).toEqual([405, null, before]);
  const [agent] = (await person.request('GET', '/api/agents')).body.agents;
  expect((await head(`/api/agents/${agent.id}/internal-bearer`)).status).toBe(405);
  expect(readGatewayRows(gateway.dataFolder, 'select agent_id from internal_bearers')).toEqual([]);
  expect((await head('/auth/reset-password?token=x')).status).toBe(400);
});

it('wrong passwords lock out the network that they come from, on all routes, but no browser that is known', async () => {
  const owner = await member('near@example.com');
  const login = async (password: string, from: string, cookie = '') => {
    const answer = await fetch(`${gateway.baseUrl}/auth/login`, {
      method: 'POST',
      headers: { 'X-Forwarded-For': from, 'Content-Type': 'application/json', Cookie: cookie },
      body: JSON.stringify({ email: owner.email, password }),
    });
    await answer.arrayBuffer();
    return answer;
  };
  const startMs = performance.now();
  const statuses: number[] = [];
  for (let n = 0; n < 4; n++)
    for (const [method, path, wrong] of [
      ['POST', '/api/change-password', { current_password: 'wrong', new_password: 'whatever' }],
      ['POST', '/api/change-email', { password: 'wrong', new_email: 'x@example.com' }],
      ['DELETE', '/api/account', { password: 'wrong', confirm: true }],
    ] as const)
      statuses.push((await owner.request(method, path, wrong)).status);
  expect(statuses).toEqual([...Array(10).fill(400), 429, 429]);
  const refused = await login(owner.password, '127.0.0.1');
  expect(refused.status).toBe(429);
  const waitS = Number(refused.headers.get('retry-after'));
  expect(waitS).toBeLessThanOrEqual(90);
  expect(waitS).toBeGreaterThanOrEqual(90 - (performance.now() - startMs) / 1_000);

  const elsewhere = await login(owner.password, '203.0.113.8');
  expect(elsewhere.status).toBe(200);
  const browser = elsewhere.headers.getSetCookie().find((line) => line.startsWith('svc_browser='))!;
  expect(browser).toMatch(/; HttpOnly; SameSite=Strict/);
  const known = browser.split(';')[0]!;
  expect((await login(owner.password, '127.0.0.1', known)).status).toBe(200);
  // The cookie authorizes nothing by itself.
  expect((await fetch(`${gateway.baseUrl}/api/calls`, { headers: { Cookie: known } })).status).toBe(401);

  const lines = await waitFor('the wrong passwords in the log', () => {
    const rows = readGatewayRows<{ detail: string; email: string }>(
      gateway.dataFolder,
      `select detail, email from audit_log join accounts on accounts.id = account_id where action = 'password.fail'`,
    );
    return rows.length > 0 && rows;
  });
  expect(lines.map(({ email, detail }) => [email, JSON.parse(detail).count])).toEqual([[owner.email, 10]]);
});
