import { expect, test } from 'vitest';
import { webhookRoutes } from '../../../src/api/rest/webhooks.ts';
import { ReadingTime } from '../../../src/base/reading-time.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import {
  LOGIN_WEBHOOK,
  type ReplyEnd,
  type TakesWebhooks,
  type WebhookReply,
  type WebhookRequest,
} from '../../../src/connectors/contract/webhooks.ts';
import { waitFor, within } from '../../support/wait-for.ts';
import { RawClient, served } from './served.ts';

type Handler = (request: WebhookRequest) => WebhookReply | Promise<WebhookReply>;

/** A gateway whose only platform takes webhooks as `handle` says. */
async function hooked(handle: Handler, fields: Partial<TakesWebhooks> = {}) {
  const requests: WebhookRequest[] = [];
  const webhooks: TakesWebhooks = {
    endpoints: [
      { path: LOGIN_WEBHOOK, methods: ['get', 'post'], answers: 'text' },
      { path: 'chat', methods: ['post'], answers: 'json' },
    ],
    headers: ['x-signature'],
    replyHeaders: ['x-no-retry', 'www-authenticate'],
    refuses: () => null,
    webhook: async (request) => {
      requests.push(request);
      return await handle(request);
    },
    ...fields,
  };
  const connector = { platform: 'slack', provides: { webhooks } } as unknown as Connector;
  return { ...(await served(webhookRoutes([connector], new ReadingTime(systemClock)))), requests };
}

const post = (url: string, body = '{}', headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers });

test('a challenge is answered with text, and another one with JSON', async () => {
  const { url, requests } = await hooked(({ endpoint, body }) => {
    const { challenge } = JSON.parse(Buffer.from(body).toString()) as { challenge: string };
    return endpoint === 'chat' ? { status: 200, json: { challenge } } : { status: 200, text: challenge };
  });
  const text = await post(`${url}/api/slack/webhook/bot_1`, '{"challenge":"abc"}', { 'x-signature': 's' });
  expect([text.status, text.headers.get('content-type'), await text.text()]).toEqual([
    200,
    'text/plain; charset=utf-8',
    'abc',
  ]);
  const json = await post(`${url}/api/slack/chat?room=1`, '{"challenge":"abc"}');
  expect([json.status, await json.json()]).toEqual([200, { challenge: 'abc' }]);
  const seen = requests.map(({ method, endpoint, loginKey, query }) => [method, endpoint, loginKey, query]);
  expect(seen).toEqual([
    ['post', LOGIN_WEBHOOK, 'bot_1', {}],
    ['post', 'chat', '', { room: '1' }],
  ]);
  expect(requests[0]?.header('x-signature')).toBe('s');
});

test('the body arrives byte for byte', async () => {
  const { url, requests } = await hooked(() => ({ status: 200, text: '' }));
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  await fetch(`${url}/api/slack/chat`, { method: 'POST', body: bytes });
  expect([...requests[0]!.body]).toEqual([...bytes]);
});

test('a refused request is answered before its body is read', async () => {
  const { port, requests } = await hooked(() => ({ status: 200, text: '' }), {
    refuses: ({ endpoint, loginKey }) =>
      loginKey === 'bot_1'
        ? null
        : { status: 401, text: `not ${endpoint}`, headers: { 'www-authenticate': 'Bearer' } },
  });
  const head = 'POST /api/slack/webhook/bot_2 HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n';
  const answer = await within('the refusal', new RawClient(port).write(head).closed());
  expect(answer).toMatch(/^HTTP\/1.1 401 /);
  expect(answer.toLowerCase()).toContain('www-authenticate: bearer');
  expect(answer).toContain(`{"detail":"not ${LOGIN_WEBHOOK}","code":"webhook_not_signed"}`);
  expect(requests).toEqual([]);
});

test('GET and HEAD reach the connector where it takes them', async () => {
  const { url, requests } = await hooked(() => ({ status: 200, text: 'here' }));
  expect(await (await fetch(`${url}/api/slack/webhook/shared?a=b`)).text()).toBe('here');
  expect((await fetch(`${url}/api/slack/webhook/shared`, { method: 'HEAD' })).status).toBe(200);
  expect((await fetch(`${url}/api/slack/chat`)).status).toBe(405);
  expect(requests.map(({ method }) => method)).toEqual(['get', 'head']);
});

test('a reply sets the headers that its platform has declared, and no others', async () => {
  const ends: ReplyEnd[] = [];
  let headers: Record<string, string> = { 'x-no-retry': '1' };
  const { url, failures } = await hooked(() => ({
    status: 503,
    text: 'later',
    headers,
    ended: (end) => ends.push(end),
  }));
  const answer = await post(`${url}/api/slack/chat`);
  expect([answer.status, answer.headers.get('x-no-retry'), await answer.json()]).toEqual([
    503,
    '1',
    { detail: 'later', code: 'webhook_not_stored' },
  ]);
  const hostile: Record<string, string>[] = [
    { 'x-other': '1' },
    { 'set-cookie': 'a=b' },
    { 'x-no-retry': '1\r\nset-cookie: a=b' },
    { 'x-no-retry': '1\nx: y' },
    { 'x-no-retry': '1\0' },
    { 'x-no-retry': 'é' },
  ];
  for (headers of hostile) {
    const refused = await post(`${url}/api/slack/chat`);
    expect([refused.status, refused.headers.get('set-cookie'), refused.headers.get('x-no-retry')]).toEqual([
      500,
      null,
      null,
    ]);
  }
  expect(failures).toHaveLength(hostile.length);
  await waitFor('the ends', () => ends.length === hostile.length + 1);
  expect(ends).toEqual(['written', ...hostile.map(() => 'unwritten')]);
});

test.each([
  'set-cookie',
  'content-type',
  'content-length',
  'connection',
  'location',
  'access-control-allow-origin',
])('no platform may declare %s', (name) => {
  const webhooks = { endpoints: [], headers: [], replyHeaders: [name] };
  const connector = { platform: 'slack', provides: { webhooks } } as unknown as Connector;
  expect(() => webhookRoutes([connector], new ReadingTime(systemClock))).toThrow('may not set');
});

test('the connector learns that its reply was written, or that the client had gone', async () => {
  const ends: ReplyEnd[] = [];
  const waiting: ((reply: WebhookReply) => void)[] = [];
  const { port, requests } = await hooked(() => new Promise((resolve) => waiting.push(resolve)));
  const reply: WebhookReply = { status: 200, json: { message: 'Hi' }, ended: (end) => ends.push(end) };
  const head = 'POST /api/slack/chat HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';

  const stays = new RawClient(port).write(head);
  await waitFor('the request', () => waiting.length === 1);
  waiting[0]!(reply);
  expect(
    await within(
      'the reply',
      stays.until(({ received }) => received.endsWith('}')),
    ),
  ).toContain('{"message":"Hi"}');
  await waitFor('the end', () => ends.length === 1);

  const goes = new RawClient(port).write(head);
  await waitFor('the request', () => waiting.length === 2);
  goes.socket.destroy();
  await waitFor('the abort', () => requests[1]!.signal.aborted);
  waiting[1]!(reply);
  await waitFor('the end', () => ends.length === 2);
  expect(ends).toEqual(['written', 'unwritten']);
});

test('a client that goes while the reply is being written leaves its end unclear', async () => {
  const ends: ReplyEnd[] = [];
  const json = { message: 'x'.repeat(16 * 1024 * 1024) };
  const { port } = await hooked(() => ({ status: 200, json, ended: (end) => ends.push(end) }));
  const client = new RawClient(port).write(
    'POST /api/slack/chat HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
  );
  await within(
    'the beginning',
    client.until(({ received }) => received.length > 0),
  );
  client.socket.destroy();
  await waitFor('the end', () => ends.length === 1);
  expect(ends).toEqual(['unclear']);
});
