import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

/** Signs a person up and in without verifying the address. */
async function unproven(email: string): Promise<Person> {
  const person = new Person(gateway.baseUrl, email);
  await person.signUp();
  await person.signIn();
  return person;
}

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

describe('a person who signs up with the address of another', () => {
  it('cannot create credentials, and loses access when the owner resets the password', async () => {
    const mallory = await unproven('victim@example.com');
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
      ['POST', '/api/api-keys', { name: 'x' }],
      ['POST', '/api/settings-keys', { name: 'x' }],
      ['POST', '/api/invite-link', undefined],
      ['GET', `/api/agents/${agent.id}/internal-bearer`, undefined],
      ['POST', '/api/bot-tokens', { platform: 'telegram', bot_token: '123456:abcdefghijklmnopqrstuvwxyz' }],
      ['PATCH', `/api/agents/${agent.id}/provider`, provider],
      ['POST', '/api/voice-configs', { kind: 'tts', provider: 'local' }],
    ] as const) {
      const answer = await mallory.request(method, path, body);
      expect([path, answer.status, answer.body.detail]).toEqual([path, 403, 'Email address is not verified']);
    }
    await resetPassword('victim@example.com');
    expect((await mallory.request('GET', '/api/calls')).status).toBe(401);
    expect((await mallory.signIn()).status).toBe(401);
  });

  it('loses keys and clients, even of a verified account, when the owner resets the password', async () => {
    const email = 'clicker@example.com';
    const mallory = await unproven(email);
    const link = linkIn(await mailbox.take(email, VERIFY));
    expect((await fetch(link, { method: 'POST' })).status).toBe(200);
    expect((await mallory.request('GET', '/api/calls')).status).toBe(401);
    await mallory.signIn();
    const key = (await mallory.request('POST', '/api/settings-keys', { name: 'x' })).body.key;
    const { access, refresh } = await (await OAuthClient.register(gateway)).connect(mallory);
    expect((await gateway.api(key).get('/api/agents')).status).toBe(200);
    expect((await gateway.api(access).get('/api/calls')).status).toBe(200);
    await resetPassword(email);
    expect((await gateway.api(key).get('/api/agents')).status).toBe(401);
    expect((await gateway.api(access).get('/api/calls')).status).toBe(401);
    const again = await (await OAuthClient.register(gateway)).refresh(refresh);
    expect(again.status).toBe(400);
  });
});

describe('a thief with a live session', () => {
  it('gets no key from a request that a password reset interrupts', async () => {
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

  it('cannot use a change-of-email link from before a password reset', async () => {
    const email = 'robbed@example.com';
    const thief = await member(email);
    const wanted = { new_email: 'thief@example.com', password: thief.password };
    expect((await thief.request('POST', '/api/change-email', wanted)).status).toBe(200);
    const kept = linkIn(await mailbox.take('thief@example.com', 'Confirm your new email address'));
    await mailbox.take(email, 'A change of your email address was requested');
    await resetPassword(email);
    await mailbox.take(email, 'Your password was changed');
    for (const method of ['GET', 'POST'])
      expect((await fetch(kept, { method, headers: { Accept: 'application/json' } })).status).toBe(400);
    const owner = new Person(gateway.baseUrl, email, NEW_PASSWORD);
    expect((await owner.signIn()).status).toBe(200);
  });
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

describe('wrong passwords', () => {
  const login = async (email: string, password: string, from: string, cookie = '') => {
    const answer = await fetch(`${gateway.baseUrl}/auth/login`, {
      method: 'POST',
      headers: { 'X-Forwarded-For': from, 'Content-Type': 'application/json', Cookie: cookie },
      body: JSON.stringify({ email, password }),
    });
    await answer.arrayBuffer();
    return answer;
  };

  it('lock out only the network address that they come from', async () => {
    const owner = await member('near@example.com');
    const startMs = performance.now();
    for (let n = 0; n < 10; n++) expect((await login(owner.email, 'wrong', '203.0.113.7')).status).toBe(401);
    const refused = await login(owner.email, owner.password, '203.0.113.7');
    expect(refused.status).toBe(429);
    const waitS = Number(refused.headers.get('retry-after'));
    expect(waitS).toBeLessThanOrEqual(90);
    expect(waitS).toBeGreaterThanOrEqual(90 - (performance.now() - startMs) / 1_000);
    expect((await login(owner.email, owner.password, '203.0.113.8')).status).toBe(200);
  });

  it('from many addresses still let a known browser sign in, and send the owner one mail', async () => {
    const owner = await member('far@example.com');
    const first = await login(owner.email, owner.password, '203.0.113.1');
    const browser = first.headers.getSetCookie().find((line) => line.startsWith('svc_browser='))!;
    const known = browser.split(';')[0]!;
    expect(browser).toMatch(/; HttpOnly; SameSite=Strict/);
    const attack = Array.from({ length: 100 }, (_, n) => login(owner.email, 'wrong', `198.51.100.${n}`));
    expect(new Set((await Promise.all(attack)).map(({ status }) => status))).toEqual(new Set([401]));
    const stranger = await login(owner.email, owner.password, '203.0.113.2');
    expect(stranger.status).toBe(429);
    expect(Number(stranger.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect((await login(owner.email, owner.password, '203.0.113.2', known)).status).toBe(200);
    // The cookie authorizes nothing by itself, and allows only a few guesses.
    expect((await fetch(`${gateway.baseUrl}/api/calls`, { headers: { Cookie: known } })).status).toBe(401);
    for (let n = 0; n < 10; n++)
      expect((await login(owner.email, 'wrong', `192.0.2.${n}`, known)).status).toBe(401);
    expect((await login(owner.email, owner.password, '192.0.2.99', known)).status).toBe(429);
    await mailbox.take(owner.email, 'Too many wrong passwords');
    expect(mailbox.received.filter(({ subject }) => subject === 'Too many wrong passwords')).toEqual([]);

    // An unknown address is treated the same way.
    const nobodys = Array.from({ length: 100 }, (_, n) =>
      login('nobody@example.com', 'x', `198.51.101.${n}`),
    );
    await Promise.all(nobodys);
    expect((await login('nobody@example.com', 'x', '203.0.113.3')).status).toBe(429);
  });

  it('on all routes that take a password count together', async () => {
    const owner = await member('routes@example.com');
    const statuses: number[] = [];
    const routes = [
      ['POST', '/api/change-password', { current_password: 'wrong', new_password: 'whatever' }],
      ['POST', '/api/change-email', { password: 'wrong', new_email: 'x@example.com' }],
      ['DELETE', '/api/account', { password: 'wrong', confirm: true }],
    ] as const;
    for (let n = 0; n < 4; n++)
      for (const [method, path, wrong] of routes)
        statuses.push((await owner.request(method, path, wrong)).status);
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429]);
    const stranger = await login(owner.email, 'wrong', '127.0.0.1');
    expect(stranger.status).toBe(429);
  });

  it('appear in the audit log as one line per network address, with the account', async () => {
    const owner = await member('logged@example.com');
    for (let n = 0; n < 5; n++) await login(owner.email, 'wrong', '203.0.113.20');
    const lines = await waitFor('the wrong passwords in the log', () => {
      const rows = readGatewayRows<{ detail: string; account_id: string | null }>(
        gateway.dataFolder,
        `select detail, account_id from audit_log where action = 'password.fail' and detail like '%203.0.113.20%'`,
      );
      return JSON.parse(rows[0]?.detail ?? '{}').count === 5 && rows;
    });
    const [account] = readGatewayRows<{ id: string }>(
      gateway.dataFolder,
      'select id from accounts where email = ?',
      owner.email,
    );
    expect(lines).toMatchObject([{ account_id: account!.id }]);
  });
});

it('a deleted account leaves one anonymous line in the audit log', async () => {
  const person = await member('gone@example.com');
  const { account_id: id } = (await person.request('GET', '/api/account')).body;
  const deleted = await person.request('DELETE', '/api/account', {
    confirm: true,
    password: person.password,
  });
  expect(deleted.status).toBe(200);
  const rows = readGatewayRows<{ account_id: null; detail: string }>(
    gateway.dataFolder,
    `select * from audit_log where account_id is null and action = 'account.delete'`,
  );
  expect(rows).toHaveLength(1);
  expect(JSON.parse(rows[0]!.detail)).toEqual({
    account: expect.stringMatching(/^[0-9a-f]{64}$/),
    historyRows: expect.any(Number),
    bots: 0,
    numbers: 0,
  });
  expect(JSON.stringify(rows)).not.toContain(id);
  expect(JSON.stringify(rows)).not.toContain('gone@example.com');
});
