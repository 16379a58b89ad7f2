import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import { Gateway } from '../support/gateway.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { memberOf } from '../support/member.ts';
import type { Person } from '../support/person.ts';
import { waitFor } from '../support/wait-for.ts';

const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(3_000, 7)]);

let telegram: FakeTelegram;
let gateway: Gateway;

beforeAll(async () => {
  telegram = await FakeTelegram.start({ takesHttpWebhooks: true, webhookRetryMs: 50 });
  gateway = await Gateway.start({
    env: {
      SVC_SIGNUP: 'open',
      SVC_TELEGRAM_API_URL: telegram.url,
      SVC_TELEGRAM_UPDATES: 'webhook',
      SVC_FILES_FETCH_ALLOW: '127.0.0.0/8',
      SVC_DM_TIMEOUT_TEXT: 'off',
    },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await telegram?.stop();
});

interface Account {
  readonly person: Person;
  readonly accountId: string;
  readonly key: string;
}

async function account(name: string): Promise<Account> {
  const person = await memberOf(gateway, `${name}@example.com`);
  const { account_id: accountId } = (await person.request('GET', '/api/account')).body;
  const { body } = await person.request('POST', '/api/api-keys', { name });
  const key = Object.values<string>(body).find((value) => /^svc_[\w-]{40,}$/.test(value))!;
  gateway.secrets.add(key);
  return { person, accountId, key };
}

const deleted = ({ person }: Account) =>
  person.request('DELETE', '/api/account', { confirm: 'DELETE', password: person.password });

/** Whatever the database or the disk still has of an account. */
function traces({ accountId }: Account): string[] {
  const query = "select name from sqlite_master where type = 'table'";
  const tables = readGatewayRows<{ name: string }>(gateway.dataFolder, query).filter(({ name }) =>
    JSON.stringify(readGatewayRows(gateway.dataFolder, `select * from "${name}"`)).includes(accountId),
  );
  const files = readdirSync(join(gateway.dataFolder, 'files'), { recursive: true, withFileTypes: true });
  return [...tables, ...files.filter((entry) => entry.isFile())].map(({ name }) => name);
}

/** Starts an upload that goes on for as long as it is let. Resolves with its status. */
function upload(path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sending = request(`${gateway.baseUrl}${path}`, { method: 'POST', headers });
  sending.on('response', (answer: IncomingMessage) => {
    clearInterval(timer);
    answer.resume();
    resolve(answer.statusCode!);
  });
  sending.on('error', reject);
  sending.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
  const timer = setInterval(() => sending.write('x'.repeat(1_000)), 20);
  onTestFinished(() => {
    clearInterval(timer);
    sending.destroy();
  });
  return promise;
}

/** A server whose file never ends. */
async function endlessServer(): Promise<{ url: string; asked: () => number }> {
  let asked = 0;
  const server: Server = createServer((_, answer) => {
    asked += 1;
    answer.write('x'.repeat(1_000));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`, asked: () => asked };
}

/** Does something again and again until it answers 401. Returns how often it was done. */
async function untilRefused(act: () => Promise<{ status: number }>): Promise<number> {
  for (let done = 0; ; done++) if ((await act()).status === 401) return done;
}

it('an account that is deleted is turned away by everything, and leaves nothing', async () => {
  const goner = await account('goner');
  const { person, key } = goner;
  const api = gateway.api(key);
  const bot = telegram.addBot();
  gateway.secrets.add(bot.token);
  const listed = await person.request('POST', '/api/bot-tokens', {
    platform: 'telegram',
    bot_token: bot.token,
  });
  expect(listed.status).toBe(200);
  await waitFor('the webhook', () => bot.webhook);
  expect((await person.request('POST', '/api/agents', { name: 'Peer' })).status).toBe(200);
  const ada = bot.person({ id: 42, first_name: 'Ada' });

  const form = { 'X-API-Key': key, 'Content-Type': 'multipart/form-data; boundary=b' };
  const reserved = await api.post('/api/files/reserve', { name: 'a', mime: 'text/plain' });
  expect([reserved.status, reserved.body]).toEqual([200, expect.anything()]);
  const slot: string = reserved.body.upload_url;
  const server = await endlessServer();
  const ending = [
    upload('/api/files', form),
    upload(new URL(slot).pathname, { 'Content-Type': form['Content-Type'] }),
    api.post('/api/files', { url: server.url }).then(({ status }) => status),
  ];
  const socket = new WebSocket(`${gateway.baseUrl.replace('http', 'ws')}/api/inbox/stream?api_key=${key}`);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  const incoming = () => readdirSync(join(gateway.dataFolder, 'files', 'incoming')).length;
  await waitFor('the transfers', () => server.asked() === 1 && incoming() === 3);
  const busy = [
    untilRefused(() =>
      person.request('POST', '/api/dm/chat', { platform: 'agent', peer: 'Peer', text: 'x' }),
    ),
    untilRefused(() => api.post('/api/files', { bytes_b64: JPEG.toString('base64'), name: 'a' })),
  ];
  const writing = setInterval(
    () => ada.sends('photo', { name: 'a.jpg', mime: 'image/jpeg', bytes: JPEG }),
    10,
  );
  onTestFinished(() => clearInterval(writing));
  await waitFor('a photo', async () =>
    JSON.stringify((await api.get('/api/inbox?platform=telegram')).body).includes('image/jpeg'),
  );

  expect((await deleted(goner)).status).toBe(200);
  expect(await Promise.all(ending)).toEqual([401, 401, 401]);
  for (const done of await Promise.all(busy)) expect(done).toBeGreaterThan(0);
  await closed;
  clearInterval(writing);
  expect(traces(goner)).toEqual([]);
  expect((await api.get('/api/account')).status).toBe(401);
});

it('a deletion that is killed goes on with the next start', async () => {
  const goner = await account('killed');
  const { accountId, person, key } = goner;
  await gateway.api(key).post('/api/files', { bytes_b64: JPEG.toString('base64'), name: 'a' });
  const database = new SqliteDatabase(join(gateway.dataFolder, 'gateway.db'));
  database
    .prepare(
      `insert into events (account_id, type, payload, created_at)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 30000)
        select ?, 't', '{}', '2026-01-01T00:00:00.000Z' from numbers`,
    )
    .run(accountId);
  const events = database.prepare('select count(*) from events where account_id = ?').pluck();
  const deleting = deleted(goner).catch(() => null);
  await waitFor('the deletion', () => (events.get(accountId) as number) < 30_000);
  await gateway.killHard();
  expect(await deleting).toBe(null);
  expect(events.get(accountId)).toBeGreaterThan(0);
  database.close();
  await gateway.restart();
  expect(traces(goner)).toEqual([]);
  expect((await person.signIn()).status).toBe(401);
});
