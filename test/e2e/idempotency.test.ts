import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AnyJson } from '../support/any-json.ts';
import { Gateway } from '../support/gateway.ts';
import { readGatewayRows } from '../support/gateway-database.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await Gateway.start();
});
afterAll(() => gateway?.stop());

async function post(path: string, body: unknown, key: string, apiKey = gateway.settingsKey) {
  const answer = await fetch(`${gateway.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey, 'Idempotency-Key': key },
    body: JSON.stringify(body),
  });
  const isReplayed = answer.headers.get('idempotent-replayed') === 'true';
  const told: AnyJson = await answer.json();
  return { status: answer.status, body: told, isReplayed };
}

it('returns the same new key again, even after a crash, and stores it nowhere in plain text', async () => {
  const mint = () => post('/api/api-keys', { name: 'made once' }, 'mint');
  const first = await mint();
  const text = Object.values<string>(first.body).find((value) => /^svc_.{30}/.test(value))!;
  // Looked for in the database when the gateway stops.
  gateway.secrets.add(text);
  const again = await mint();
  expect([again.status, again.body, again.isReplayed]).toEqual([first.status, first.body, true]);
  await gateway.killHard();
  await gateway.restart();
  const afterCrash = await mint();
  expect([afterCrash.status, afterCrash.body, afterCrash.isReplayed]).toEqual([
    first.status,
    first.body,
    true,
  ]);
  const { keys } = (await gateway.settingsApi.get('/api/api-keys')).body;
  expect(keys.filter(({ name }: { name: string }) => name === 'made once')).toHaveLength(1);
  expect((await gateway.api(text).get('/api/calls')).status).toBe(200);
});

it('creates at most one agent from a hundred requests with one key, despite a kill', async () => {
  const make = () =>
    post('/api/agents', { name: 'only one' }, 'agent').catch(() => ({
      status: 0,
      body: {},
      isReplayed: false,
    }));
  const asked = Array.from({ length: 100 }, make);
  await Promise.race(asked);
  await gateway.killHard();
  await Promise.all(asked);
  await gateway.restart();
  const { status } = await make();
  // The crash may have come between the agent and its answer; then the answer must not be that there is none.
  expect([200, 409]).toContain(status);
  const made = readGatewayRows(gateway.dataFolder, `select id from agents where name = 'only one'`);
  if (status === 200) expect(made).toHaveLength(1);
  else expect(made.length).toBeLessThanOrEqual(1);
});

it('answers 404 to an undeliverable message each time, without storing the answer', async () => {
  const send = () => post('/api/dm/chat', { platform: 'telegram', text: 'Hello' }, 'dm', gateway.agentKey);
  for (let i = 0; i < 2; i++) {
    const { status, body, isReplayed } = await send();
    expect([status, body, isReplayed]).toEqual([
      404,
      { detail: 'No active conversation', code: 'no_conversation' },
      false,
    ]);
  }
});

it('stores one file when a form is sent twice, however large', async () => {
  const upload = async (bytes: Buffer) => {
    const form = new FormData();
    form.append('file', new Blob([bytes]), 'a.bin');
    const answer = await fetch(`${gateway.baseUrl}/api/files`, {
      method: 'POST',
      headers: { 'X-API-Key': gateway.agentKey, 'Idempotency-Key': 'file' },
      body: form,
    });
    const isReplayed = answer.headers.get('idempotent-replayed') === 'true';
    return { status: answer.status, body: await answer.json(), isReplayed };
  };
  const bytes = Buffer.alloc(5_000_000, 'x');
  const first = await upload(bytes);
  expect([first.status, first.isReplayed]).toEqual([200, false]);
  expect(await upload(bytes)).toEqual({ ...first, isReplayed: true });
  expect((await upload(Buffer.alloc(5_000_001, 'x'))).status).toBe(422);
  const files = readGatewayRows(gateway.dataFolder, 'select id from files');
  expect(files).toHaveLength(1);
});
