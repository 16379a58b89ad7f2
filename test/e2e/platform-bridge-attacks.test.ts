import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BridgeWorld, TENANT } from '../support/bridge-world.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { memberOf } from '../support/member.ts';
import { waitFor } from '../support/wait-for.ts';

const USER = '99999999-8888-4777-8666-bbbbbbbbbbbb';
const EVENTS = '/api/maquisard/event';
const CHAT = '/api/teams/chat';
const BOTS = '/api/maquisard/talk-bots';
const BATCH = 20;
const LONG = 'x'.repeat(65_536);

let world: BridgeWorld;

beforeAll(async () => {
  world = await BridgeWorld.start({ SVC_SIGNUP: 'open', SVC_LOGIN_ATTEMPTS: '10' });
  await world.connect([USER]);
});
afterAll(() => world?.stop());

/** Number of stored messages. */
function stored(): number {
  return readGatewayRows(world.gateway.dataFolder, 'select seq from messages').length;
}

const eventOf = (fields: object = {}) => ({
  type: 'dm',
  platform: 'teams',
  person: { id: `${TENANT}:${USER}`, name: 'Ada' },
  message_id: 'forged',
  text: 'forged',
  ...fields,
});

/** Headers that are not the key. */
const WRONG_KEYS: Readonly<Record<string, () => Record<string, string>>> = {
  none: () => ({}),
  empty: () => ({ 'X-API-Key': '' }),
  'half of the key': () => ({ 'X-API-Key': world.bridge.key.slice(0, 20) }),
  'the key and more': () => ({ 'X-API-Key': `${world.bridge.key}0` }),
  'the key in capitals': () => ({ 'X-API-Key': world.bridge.key.toUpperCase() }),
  'the key in Basic': () => ({ Authorization: `Basic ${Buffer.from(world.bridge.key).toString('base64')}` }),
  'the key without a scheme': () => ({ Authorization: world.bridge.key }),
  'the key in another header': () => ({ 'X-Bridge-Key': world.bridge.key }),
  'the key in a cookie': () => ({ Cookie: `session=${world.bridge.key}` }),
  'a wrong key before the right one': () => ({
    'X-API-Key': 'wrong',
    Authorization: `Bearer ${world.bridge.key}`,
  }),
  'an agent key': () => ({ 'X-API-Key': world.gateway.agentKey }),
  'a settings key': () => ({ Authorization: `Bearer ${world.gateway.settingsKey}` }),
  'a long key': () => ({ 'X-API-Key': 'k'.repeat(2_000) }),
};

describe('wrong keys', () => {
  it.each(Object.entries(WRONG_KEYS))('%s', async (_name, headers) => {
    const before = stored();
    const { body } = await world.post(EVENTS, { version: 1, events: [eventOf()] }, { headers: headers() });
    expect(body).toEqual({ detail: 'Invalid or missing API key', code: 'unauthorized' });
    expect((await world.chat(USER, {}, { headers: headers() })).status).toBe(401);
    const bots = await fetch(`${world.gateway.baseUrl}${BOTS}?api_key=${world.bridge.key}`, {
      headers: headers(),
    });
    expect(bots.status).toBe(401);
    expect(stored()).toBe(before);
  });

  it('are refused before the body is read', async () => {
    const socket = connect(world.gateway.httpPort, '127.0.0.1');
    socket.write(`POST ${EVENTS} HTTP/1.1\r\nHost: a\r\nX-API-Key: no\r\nContent-Length: 1000000\r\n\r\n`);
    const [head] = await once(socket, 'data');
    expect(`${head}`).toMatch(/^HTTP\/1.1 401 /);
    socket.destroy();
  });
});

it('takes the key as Bearer, and opens nothing else with it', async () => {
  const headers = { Authorization: `Bearer ${world.bridge.key}` };
  const bots = await fetch(`${world.gateway.baseUrl}${BOTS}`, { headers });
  expect([bots.status, await bots.json()]).toEqual([200, { version: 1, bots: [] }]);
  for (const path of ['/api/calls', '/api/inbox', '/api/account', '/api/export', '/api/agents'])
    expect((await world.gateway.api(world.bridge.key).get(path)).status, path).toBe(401);
});

/** Bodies that are refused as a whole, with the place of the fault. */
const WRONG_BODIES: Readonly<Record<string, readonly [body: () => unknown, place: string]>> = {
  'no version': [() => ({ events: [eventOf()] }), 'version'],
  'another version': [() => ({ version: 2, events: [eventOf()] }), 'version'],
  'a version in text': [() => ({ version: '1', events: [eventOf()] }), 'version'],
  'no events': [() => ({ version: 1, events: [] }), 'events'],
  '101 events': [() => ({ version: 1, events: Array.from({ length: 101 }, () => eventOf()) }), 'events'],
  'an unknown type': [() => ({ version: 1, events: [eventOf({ type: 'shout' })] }), 'events.0.type'],
  'an unknown field': [() => ({ version: 1, events: [eventOf({ thred: '1' })] }), 'events.0'],
  'an unknown platform': [
    () => ({ version: 1, events: [eventOf({ platform: 'sip' })] }),
    'events.0.platform',
  ],
  'a login of nobody': [() => ({ version: 1, events: [eventOf({ login: 'acc_1' })] }), 'events.0.login'],
  'a name of 64 KB': [
    () => ({ version: 1, events: [eventOf({ person: { id: '1', name: LONG } })] }),
    'events.0.person.name',
  ],
  'an id of 64 KB': [() => ({ version: 1, events: [eventOf({ message_id: LONG })] }), 'events.0.message_id'],
  'a text of 64 KB': [() => ({ version: 1, events: [eventOf({ text: LONG })] }), 'events.0.text'],
  'no text': [() => ({ version: 1, events: [eventOf({ text: '' })] }), 'events.0.text'],
  'a time in words': [() => ({ version: 1, events: [eventOf({ sent_at: 'now' })] }), 'events.0.sent_at'],
  'a right event before a wrong one': [
    () => ({ version: 1, events: [eventOf(), eventOf({ text: 7 })] }),
    'events.1.text',
  ],
  'deep nesting': [() => `{"version":1,"events":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, ''],
  'not JSON': [() => '{"version":1,', ''],
  'a list': [() => [], ''],
};

describe('wrong bodies are refused as a whole', () => {
  it.each(Object.entries(WRONG_BODIES))('%s', async (_name, [body, place]) => {
    const before = stored();
    const answer = await world.post(EVENTS, body());
    expect(answer.status).toBe(422);
    const places = answer.body.detail.map(({ loc }: { loc: unknown[] }) => loc.slice(1).join('.'));
    expect(places[0]).toMatch(new RegExp(`^${place}`));
    expect(stored()).toBe(before);
  });

  it('a version that is unknown, with those that are not', async () => {
    const { body } = await world.post(EVENTS, { version: 2, events: [eventOf()] });
    expect(body.detail[0].msg).toBe('Input should be 1');
  });

  it('too many bytes', async () => {
    expect((await world.post(EVENTS, 'x'.repeat(1_100_000))).status).toBe(413);
    expect((await world.post(CHAT, 'x'.repeat(1_100_000))).status).toBe(413);
  });
});

it('does not know senders that have not connected an account', async () => {
  const before = stored();
  for (const sender of [
    { id: USER },
    { id: USER, tenant_id: '00000000-0000-4000-8000-000000000000' },
    { id: `${TENANT}:${USER}`, tenant_id: TENANT },
    { id: `con_${USER}` },
    { id: '%' },
  ]) {
    const { status, body } = await world.chat(USER, { sender });
    expect([status, body.detail], sender.id).toEqual([404, 'Connection not found']);
  }
  expect(await world.events(eventOf({ login: 'con_nobody' }), eventOf({ login: 'bot_nobody' }))).toEqual([
    { status: 'unknown_account' },
    { status: 'unknown_account' },
  ]);
  expect(stored()).toBe(before);
});

it('reaches no account but the one that the person belongs to', async () => {
  const other = await memberOf(world.gateway, 'other@example.com');
  expect(await world.events(eventOf({ message_id: 'private', text: 'for the first' }))).toEqual([
    { status: 'stored' },
  ]);
  expect(JSON.stringify((await other.request('GET', '/api/inbox')).body)).not.toContain('for the first');
  // A connection serves its platform only.
  expect(await world.events(eventOf({ platform: 'nctalk', login: `con_${USER}` }))).toEqual([
    { status: 'unknown_account' },
  ]);
  const invite = { type: 'call_invite', platform: 'teams', call_ref: 'private' };
  expect(await world.events({ ...invite, person: { id: `${TENANT}:${USER}` } })).toEqual([
    { status: 'ringing' },
  ]);
  const { body } = await world.gateway.agentApi.get('/api/calls');
  const [call] = body.calls ?? body;
  expect((await other.request('POST', `/api/call/${call.call_id}/accept`, {})).status).toBe(404);
  expect((await other.request('GET', '/api/calls')).body.calls ?? []).toEqual([]);
  // The reference of a call that rings elsewhere says nothing.
  expect(await world.events({ type: 'call_ended', platform: 'nctalk', call_ref: 'private' })).toEqual([
    { status: 'unknown_call' },
  ]);
  await world.events({ type: 'call_ended', platform: 'teams', call_ref: 'private' });
});

it('stores a message that is told many times at once only once', async () => {
  const told = await Promise.all(
    Array.from({ length: 15 }, () => world.events(eventOf({ message_id: 'same', text: 'same' }))),
  );
  const statuses = told.flat().map((result) => JSON.stringify(result));
  expect(statuses.filter((status) => status.includes('stored'))).toHaveLength(1);
  expect(world.rows('same')).toHaveLength(1);
});

it('refuses a batch beyond those under way, and stores it when it is told again', async () => {
  const batch = (n: number) =>
    Array.from({ length: BATCH }, (_, i) => eventOf({ message_id: `${n}.${i}`, text: `batch ${n}` }));
  const post = async (n: number) => (await world.post(EVENTS, { version: 1, events: batch(n) })).status;
  const statuses = await Promise.all(Array.from({ length: 24 }, (_, n) => post(n)));
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  for (const [n, status] of statuses.entries()) {
    expect(world.rows(`batch ${n}`), `${status}`).toHaveLength(status === 200 ? BATCH : 0);
    if (status === 429) expect(await post(n)).toBe(200);
  }
});

it('takes a body that arrives byte by byte', async () => {
  const body = JSON.stringify({ version: 1, events: [eventOf({ message_id: 'slow', text: 'slow' })] });
  const socket = connect(world.gateway.httpPort, '127.0.0.1').setNoDelay(true);
  const head = `POST ${EVENTS} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-API-Key: ${world.bridge.key}\r\n`;
  socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`);
  const answer = text(socket);
  for (const byte of Buffer.from(body)) {
    socket.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await answer).toContain('{"status":"stored"}');
});

it('limits wrong keys, records them, and never locks the right one out', async () => {
  const guess = async (n: number) =>
    (await world.post(EVENTS, '{}', { headers: { 'X-API-Key': `${n}`.padStart(40, 'k') } })).status;
  const statuses: number[] = [];
  for (let n = 0; n < 150; n++) statuses.push(await guess(n));
  expect(statuses.at(-1)).toBe(429);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  expect(await world.events(eventOf({ message_id: 'let in', text: 'let in' }))).toEqual([
    { status: 'stored' },
  ]);
  const lines = () =>
    readGatewayRows<{ action: string; detail: string }>(
      world.gateway.dataFolder,
      `select action, detail from audit_log where action like 'bridge_key.%'`,
    );
  const failed = await waitFor('the audit log', () => {
    const line = lines().find(({ action }) => action === 'bridge_key.fail');
    const detail = line && JSON.parse(line.detail);
    return detail?.count >= 150 && detail;
  });
  expect(failed).toMatchObject({ address: '127.0.0.1' });
  expect(lines().filter(({ action }) => action === 'bridge_key.use')).toHaveLength(1);
});
