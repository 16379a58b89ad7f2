import { expect, test } from 'vitest';
import * as z from 'zod';
import { reply } from '../../../src/api/http/answer/reply.ts';
import { anyOrigin, type CrossOrigin } from '../../../src/api/http/routing/cross-origin.ts';
import { route } from '../../../src/api/http/routing/route.ts';
import { GatewayError } from '../../../src/base/errors.ts';
import { served } from './served.ts';

const PAGE = 'https://page.example';
const Body = z.object({ text: z.string() });

function posts(crossOrigin: CrossOrigin | undefined, access: 'public' | 'runtime' = 'public') {
  return route({
    method: 'post',
    path: '/thing',
    access,
    operationId: 'post',
    summary: '',
    tags: [],
    body: Body,
    ...(crossOrigin && { crossOrigin }),
    challenge: (path) => `Bearer realm="${path}"`,
    responses: { 200: { description: '', schema: Body } },
    handler: ({ body }) => reply(200, body),
  });
}

function post(url: string, headers: Record<string, string>, body = '{"text":"a"}') {
  return fetch(`${url}/thing`, {
    method: 'POST',
    body,
    headers: { 'sec-fetch-site': 'cross-site', ...headers },
  });
}

test('a page of another site can use a route that allows it, and can read that route’s errors', async () => {
  const { url } = await served([posts(anyOrigin)]);
  for (const [body, status] of [
    ['{"text":"a"}', 200],
    ['{}', 422],
    ['{', 422],
  ] as const) {
    const answer = await post(url, { origin: PAGE }, body);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, PAGE]);
    expect(answer.headers.get('vary')).toBe('Origin');
    expect(answer.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  }
  const plain = await fetch(`${url}/thing`, { method: 'POST', body: '{"text":"a"}' });
  expect([plain.status, plain.headers.get('access-control-allow-origin')]).toEqual([200, null]);
});

test('a preflight returns what the page may send', async () => {
  const { url } = await served([posts(anyOrigin)]);
  const asked = { method: 'OPTIONS', headers: { origin: PAGE, 'access-control-request-method': 'POST' } };
  const { status, headers } = await fetch(`${url}/thing`, asked);
  expect(status).toBe(204);
  expect(headers.get('allow')).toBe('POST, OPTIONS');
  expect(headers.get('access-control-allow-origin')).toBe(PAGE);
  expect(headers.get('access-control-allow-methods')).toBe('POST');
  expect(headers.get('access-control-allow-headers')).toContain('Content-Type');
});

test('a page of another site can use no other route', async () => {
  const { url } = await served([posts(undefined)]);
  const answer = await post(url, { origin: PAGE });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  const preflight = await fetch(`${url}/thing`, { method: 'OPTIONS', headers: { origin: PAGE } });
  expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
});

test('a route rejects pages before it checks keys, and says how to authenticate', async () => {
  const strict: CrossOrigin = {
    ...anyOrigin,
    check({ origin }) {
      if (origin !== '' && origin !== PAGE) throw new GatewayError('cross_site');
    },
  };
  const { url } = await served([posts(strict, 'runtime')]);
  expect((await post(url, { origin: 'https://other.example', 'x-api-key': 'svc_agent' })).status).toBe(403);
  expect((await post(url, { origin: PAGE, 'x-api-key': 'svc_agent' })).status).toBe(200);
  const refused = await post(url, { origin: PAGE });
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="/thing"']);
  expect(refused.headers.get('access-control-allow-origin')).toBe(PAGE);
});
