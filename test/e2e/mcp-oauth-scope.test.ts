import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { FakeBot } from '../fakes/telegram/fake-bot.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import type { GatewayApi } from '../support/gateway-api.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { memberOf } from '../support/member.ts';
import { OAuthClient } from '../support/oauth-client.ts';
import type { Person } from '../support/person.ts';
import { waitFor, within } from '../support/wait-for.ts';

const REVOKED = 1008;

let telegram: FakeTelegram;
let pair: GatewayPair;
let bot: FakeBot;
let owner: Person;
let callId: string;
let streamUrl: string;

/** One account with a live SIP call and a Telegram conversation. */
beforeAll(async () => {
  telegram = await FakeTelegram.start({ webhookRetryMs: 50 });
  pair = await GatewayPair.start({
    caller: { env: { SVC_SIGNUP: 'open', SVC_TELEGRAM_API_URL: telegram.url } },
  });
  owner = await memberOf(pair.caller, 'owner@example.com');
  bot = telegram.addBot('own_bot');
  pair.caller.secrets.add(bot.token);
  await ok('PUT', '/api/sip/trunk', pair.trunk);
  await ok('POST', '/api/bot-tokens', { platform: 'telegram', bot_token: bot.token });
  bot.person({ id: 42, first_name: 'Ada' }).says('hello');
  const meetingUrl = pair.uriOf(await pair.listNumber(true));
  const call = await ok('POST', '/api/call', { platform: 'sip', meeting_url: meetingUrl });
  callId = call.call_id;
  streamUrl = call.audio.stream_url;
  await waitFor('the call', async () => (await ok('GET', `/api/call/${callId}`)).state === 'active');
  await waitFor('the message', async () => (await ok('GET', '/api/inbox')).conversations.length === 1);
});
afterAll(async () => {
  await pair?.stop();
  await telegram?.stop();
});

async function ok(method: string, path: string, body?: unknown) {
  const answer = await owner.request(method, path, body);
  expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body]);
  return answer.body;
}

/** The API with the access token of a client that was authorized for these platforms. */
async function granted(
  ...platforms: string[]
): Promise<{ api: GatewayApi; token: string; client: OAuthClient }> {
  const client = await OAuthClient.register(pair.caller);
  const { access } = await client.connect(owner, {}, { platforms });
  return { api: pair.caller.api(access), token: access, client };
}

/** The status with which a WebSocket is refused, or 101. */
async function knock(url: string, token: string): Promise<number> {
  const socket = new WebSocket(`${url.split('?')[0]}?api_key=${token}`);
  const { promise, resolve } = Promise.withResolvers<number>();
  socket.once('open', () => resolve(101));
  socket.once('unexpected-response', (request, response) => {
    resolve(response.statusCode ?? 0);
    request.destroy();
  });
  const status = await within('the answer', promise);
  if (status === 101) socket.terminate();
  return status;
}

it('a client for Telegram can neither see nor control a SIP call', async () => {
  const { api, token } = await granted('telegram');
  expect((await api.get('/api/calls')).body).toEqual({ calls: [] });
  const gone = [404, { detail: 'Call not found', code: 'call_not_found' }];
  for (const [method, verb, body] of [
    ['GET', '', undefined],
    ['DELETE', '', undefined],
    ['GET', '/audio', undefined],
    ['POST', '/accept', undefined],
    ['POST', '/answer', undefined],
    ['POST', '/refuse', undefined],
    ['POST', '/say', { text: 'x' }],
    ['POST', '/stop-speaking', undefined],
    ['POST', '/chat', { text: 'x' }],
    ['POST', '/typing', undefined],
    ['POST', '/dtmf', { digits: '1' }],
  ] as const) {
    const { status, body: told } = await api.request(method, `/api/call/${callId}${verb}`, body);
    expect([verb, status, told]).toEqual([verb, ...gone]);
  }
  const place = await api.post('/api/call', { platform: 'sip', meeting_url: 'sip:+1@127.0.0.1' });
  expect([place.status, place.body]).toEqual([
    403,
    { detail: 'This client has no access to that platform', code: 'platform_not_granted' },
  ]);
  expect(await knock(streamUrl, token)).toBe(404);
  const { platforms, identities } = (await api.get('/api/account')).body;
  expect([platforms.sip.status, platforms.telegram.status]).toEqual(['not_granted', 'ok']);
  expect(identities).not.toHaveProperty('sip');
  const listed = (await api.get('/api/platforms')).body.platforms;
  expect(listed.find((one: { platform: string }) => one.platform === 'sip').accounts).toEqual([]);
  const used = (await api.get('/api/usage')).body.days;
  expect(used.map(({ platform }: { platform: string }) => platform)).not.toContain('sip');
  expect((await ok('GET', `/api/call/${callId}`)).state, 'it goes on').toBe('active');
});

it('a client for Telegram can read and write on Telegram', async () => {
  const { api } = await granted('telegram');
  expect((await api.get('/api/inbox')).body.conversations).toMatchObject([{ platform: 'telegram' }]);
  const sent = await api.post('/api/dm/chat', { platform: 'telegram', text: 'hello back' });
  expect(sent.body).toMatchObject({ status: 'delivered' });
});

it('a client for SIP can neither see nor use a conversation', async () => {
  const { api, token } = await granted('sip');
  expect((await api.get('/api/calls')).body.calls).toMatchObject([{ call_id: callId }]);
  expect(await knock(streamUrl, token)).toBe(101);
  const [{ id }] = (await ok('GET', '/api/inbox')).conversations.map((one: Record<string, string>) => ({
    id: one.conversation_id ?? one.id,
  }));
  expect((await api.get('/api/inbox')).body.conversations).toEqual([]);
  expect((await api.get('/api/inbox?platform=telegram')).status).toBe(404);
  expect((await api.get(`/api/inbox/${id}`)).status).toBe(404);
  const delta = await api.get('/api/inbox?last_message_cursor=2020-01-01&wait=1');
  expect(delta.body.conversations).toEqual([]);
  for (const body of [
    { platform: 'telegram', text: 'x' },
    { platform: 'telegram', text: 'x', conversation_id: id },
  ])
    expect((await api.post('/api/dm/chat', body)).body).toEqual({
      detail: 'No active conversation',
      code: 'no_conversation',
    });
  expect((await api.post('/api/dm/typing', { platform: 'telegram' })).status).toBe(404);
});

it('a client receives events of its own platforms only, and is disconnected on revocation', async () => {
  const { token, client } = await granted('telegram');
  const url = `${pair.caller.baseUrl.replace('http', 'ws')}/api/inbox/stream?api_key=${token}`;
  const socket = new WebSocket(`${url}&last_message_cursor=2020-01-01`);
  const types: string[] = [];
  socket.on('message', (data) => types.push(JSON.parse(`${data}`).type));
  const closed = once(socket, 'close');
  await waitFor('the first message', () => types.includes('dm_chat'));
  const ring = await pair.listNumber(true);
  const call = await ok('POST', '/api/call', { platform: 'sip', meeting_url: pair.uriOf(ring) });
  await waitFor(
    'a second call',
    async () => (await ok('GET', `/api/call/${call.call_id}`)).state === 'active',
  );
  bot.person({ id: 43, first_name: 'Bob' }).says('are you there?');
  await waitFor('the second message', () => types.filter((type) => type === 'dm_chat').length === 2);
  expect(new Set(types)).toEqual(new Set(['ready', 'dm_chat']));

  await ok('DELETE', `/api/mcp-authorizations/${client.id}`);
  const [code] = await within('the close', closed);
  expect(code).toBe(REVOKED);
});
