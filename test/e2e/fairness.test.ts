import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Gateway } from '../support/gateway.ts';
import type { GatewayApi } from '../support/gateway-api.ts';
import { LongPollClient } from '../support/long-poll-client.ts';
import { McpCaller } from '../support/mcp-caller.ts';
import { memberOf } from '../support/member.ts';
import { waitFor } from '../support/wait-for.ts';

const CALLS = 2;
const SESSIONS = 5;
const KEYS = 11;

/** An account with several agent keys. */
interface Account {
  readonly keys: readonly string[];
  readonly api: GatewayApi;
}

let gateway: Gateway;
let greedy: Account;
let modest: Account;
const closers: (() => void)[] = [];

beforeAll(async () => {
  const env = {
    SVC_SIGNUP: 'open',
    SVC_LOGIN_ATTEMPTS: '1000',
    SVC_MAX_CALLS_PER_ACCOUNT: `${CALLS}`,
    SVC_MCP_SESSIONS_PER_ACCOUNT: `${SESSIONS}`,
  };
  gateway = await Gateway.start({ env });
  greedy = await account('greedy@example.com', KEYS);
  modest = await account('modest@example.com', 1);
});
afterAll(async () => {
  for (const close of closers) close();
  await gateway?.stop();
});

async function account(email: string, keyCount: number): Promise<Account> {
  const person = await memberOf(gateway, email);
  const keys: string[] = [];
  for (let n = 0; n < keyCount; n++) {
    const { body } = await person.request('POST', '/api/api-keys', { name: `${n}` });
    keys.push(`${Object.values<unknown>(body).find((value) => /^svc_[\w-]{40,}$/.test(`${value}`))}`);
    gateway.secrets.add(keys.at(-1)!);
  }
  return { keys, api: gateway.api(keys[0]!) };
}

/** Opens a WebSocket; resolves with 101, or with the status and the message of the refusal. */
async function upgrade(url: string, key: string): Promise<[number, string]> {
  const socket = new WebSocket(`${url}?api_key=${key}`);
  closers.push(() => socket.terminate());
  return await new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('open', () => resolve([101, '']));
    socket.once('unexpected-response', (_request, response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece) => pieces.push(piece));
      response.on('end', () => {
        resolve([response.statusCode ?? 0, JSON.parse(Buffer.concat(pieces).toString()).detail]);
      });
    });
  });
}

describe('an account at its limit', () => {
  it('of inbox WebSockets leaves room for another account', async () => {
    const url = `${gateway.baseUrl.replace('http', 'ws')}/api/inbox/stream`;
    const [first, ...others] = greedy.keys;
    for (let n = 0; n < 100; n++) expect(await upgrade(url, first!)).toEqual([101, '']);
    expect(await upgrade(url, first!)).toEqual([429, 'At most 100 inbox WebSockets may be open per key']);
    for (let n = 0; n < 400; n++) expect(await upgrade(url, others[n % 5]!)).toEqual([101, '']);
    const full = 'At most 500 inbox WebSockets may be open per account';
    expect(await upgrade(url, others.at(-1)!)).toEqual([429, full]);
    expect(await upgrade(url, modest.keys[0]!)).toEqual([101, '']);
    expect(await gateway.metric('svc_queue_full_total')).toBe(2);
  });

  it('of call WebSockets leaves room for another account', async () => {
    // Nothing answers there, so a call rings until it is cancelled.
    const silence = createSocket('udp4').bind(0, '127.0.0.1');
    closers.push(() => silence.close());
    await once(silence, 'listening');
    await gateway.putTrunk({ host: '127.0.0.1', port: silence.address().port });
    const call = await gateway.placeCall(`sip:1@127.0.0.1:${silence.address().port}`);
    const url = call.audio.stream_url;
    for (let n = 0; n < 2 * CALLS; n++) expect(await upgrade(url, gateway.agentKey)).toEqual([101, '']);
    const full = 'At most 4 call WebSockets may be open per key';
    expect(await upgrade(url, gateway.agentKey)).toEqual([429, full]);
    expect((await upgrade(url, modest.keys[0]!))[0], 'it has its own, but not on this call').toBe(404);
  });

  it('of pending long polls leaves room for another account', async () => {
    const clients: LongPollClient[] = [];
    const { cursor } = (await greedy.api.get('/api/inbox')).body;
    const path = `/api/inbox?wait=55&last_message_cursor=${encodeURIComponent(cursor)}`;
    for (let n = 0; n < 1_000; n++) {
      const client = await LongPollClient.open(gateway.httpPort, greedy.keys[n % 10]!);
      void client.ask(path);
      clients.push(client);
    }
    closers.push(() => {
      for (const client of clients) client.close();
    });
    await waitFor('all to wait', async () => (await gateway.metric('svc_inbox_waiters')) === 1_000);
    const refused = await gateway.api(greedy.keys[10]!).get(path);
    expect([refused.status, refused.body.detail]).toEqual([
      429,
      'At most 1000 pending long-polls per account',
    ]);
    const own = (await modest.api.get('/api/inbox')).body.cursor;
    const waited = await modest.api.get(`/api/inbox?wait=1&last_message_cursor=${encodeURIComponent(own)}`);
    expect(waited.status).toBe(200);
  });

  it('of MCP sessions leaves room for another account', async () => {
    const caller = (key: string) =>
      new McpCaller(`${gateway.baseUrl}/mcp/?stateful`, { authorization: `Bearer ${key}` });
    for (let n = 0; n < SESSIONS; n++) await (await caller(greedy.keys[n]!).open()).listen();
    await expect(caller(greedy.keys[5]!).open()).rejects.toThrow('429');
    await (await caller(modest.keys[0]!).open()).listen();
  });

  it('of everything leaves the other account working', async () => {
    const { api } = modest;
    expect((await api.get('/api/account')).status).toBe(200);
    expect((await api.post('/api/files', { bytes_b64: 'aGk=', name: 'a', mime: 'text/plain' })).status).toBe(
      200,
    );
    expect((await api.get('/api/calls')).status).toBe(200);
  });
});
