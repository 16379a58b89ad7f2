import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { z } from 'zod';
import { ClientAddresses } from '../../../src/api/auth/client-addresses.ts';
import type { Authenticate, Principal } from '../../../src/api/auth/principal.ts';
import { reply } from '../../../src/api/http/answer/reply.ts';
import { type Access, type HttpMethod, type Route, route } from '../../../src/api/http/routing/route.ts';
import type { SocketHandler } from '../../../src/api/http/socket/socket.ts';
import { AGENT, served } from './served.ts';

const SESSION: Principal = { ...AGENT, kind: 'session', credentialId: 'ses_1' };
const COOKIE = 'svc_session=token';
const OWN = 'https://voice.example.com';
const OTHER = 'https://evil.example';

const authenticate: Authenticate = (credential) => {
  if (credential === 'svc_agent') return AGENT;
  return credential === 'token' ? SESSION : null;
};

function at(method: HttpMethod, path: `/${string}`, access: Access): Route {
  return route({
    method,
    path,
    access,
    operationId: `${method} ${path}`,
    summary: path,
    tags: [],
    responses: { 200: { description: 'ok', schema: z.any() } },
    handler: ({ principal, address }) => reply(200, { kind: principal?.kind ?? null, address }),
  });
}

const routes = (['get', 'post', 'put', 'patch', 'delete'] as const).flatMap((method) => [
  at(method, '/own', 'account'),
  at(method, '/open', 'public'),
]);

const silent: SocketHandler = {
  accountId: 'acc_1',
  opened: () => {},
  text: () => {},
  binary: () => {},
  pong: () => {},
  drained: () => {},
  closed: () => {},
};

async function site(options = {}) {
  const sockets = [
    {
      path: '/socket',
      maxMessageBytes: 1024,
      pace: { most: 100, perSecond: 100 },
      accept: ({ credential }: { credential: string | null }) => {
        if (authenticate(credential) === null) throw new Error('nobody');
        return silent;
      },
    },
  ] as const;
  const server = await served(routes, { authenticate, ownOrigin: () => OWN, sockets, ...options });
  const ask = async (method: string, path: string, headers: Record<string, string>) => {
    const answer = await fetch(`${server.url}${path}`, { method, headers });
    return [answer.status, await answer.json()];
  };
  return { ...server, ask };
}

/** The headers that browsers send about a request, and whether it comes from one of our own pages. */
const BROWSERS: [string, (url: string) => Record<string, string>, boolean][] = [
  ['no browser', () => ({}), true],
  ['a page of ours', () => ({ 'Sec-Fetch-Site': 'same-origin', Origin: OWN }), true],
  ['a typed address', () => ({ 'Sec-Fetch-Site': 'none' }), true],
  ['another site', () => ({ 'Sec-Fetch-Site': 'cross-site', Origin: OTHER }), false],
  ['a sister site', () => ({ 'Sec-Fetch-Site': 'same-site', Origin: 'https://www.example.com' }), false],
  ['another site without origin', () => ({ 'Sec-Fetch-Site': 'cross-site' }), false],
  ['our page in an old browser', () => ({ Origin: OWN }), true],
  ['our page at the requested address', (url) => ({ Origin: url }), true],
  ['another site in an old browser', () => ({ Origin: OTHER }), false],
  ['a page without an origin of its own', () => ({ Origin: 'null' }), false],
  ['a site whose name starts like ours', () => ({ Origin: `${OWN}.evil.example` }), false],
];

describe.each(BROWSERS)('%s', (_who, headersAt, isOwn) => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    '%s with the cookie is allowed only from our own pages',
    async (method) => {
      const { ask, url } = await site();
      const answer = await ask(method, '/own', { Cookie: COOKIE, ...headersAt(url) });
      if (isOwn) expect(answer).toEqual([200, { kind: 'session', address: '127.0.0.1' }]);
      else
        expect(answer).toEqual([
          403,
          { detail: 'Requests from other sites are refused', code: 'cross_site' },
        ]);
    },
  );

  it('may read with the cookie, but other sites cannot see the answer', async () => {
    const { ask, url } = await site();
    const [status] = await ask('GET', '/own', { Cookie: COOKIE, ...headersAt(url) });
    expect(status).toBe(200);
  });

  it('cannot sign in or up from another site', async () => {
    const { ask, url } = await site();
    const [status] = await ask('POST', '/open', headersAt(url));
    expect(status).toBe(isOwn ? 200 : 403);
    expect((await ask('GET', '/open', headersAt(url)))[0]).toBe(200);
  });

  it('may do anything with a key, which no browser adds by itself', async () => {
    const { ask, url } = await site();
    const answer = await ask('POST', '/own', { 'X-API-Key': 'svc_agent', Cookie: COOKIE, ...headersAt(url) });
    expect(answer).toEqual([200, { kind: 'agent', address: '127.0.0.1' }]);
  });

  it('opens a WebSocket with the cookie only from our own pages', async () => {
    const { url } = await site();
    const socket = new WebSocket(`${url.replace('http', 'ws')}/socket`, {
      headers: { Cookie: COOKIE, ...headersAt(url) },
    });
    const opened = await new Promise((resolve) => {
      socket.once('open', () => resolve(true));
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.once('error', () => {});
    });
    socket.terminate();
    expect(opened).toBe(isOwn ? true : 403);
  });
});

it('a cookie with an unknown token is not a credential', async () => {
  const { ask } = await site();
  expect((await ask('GET', '/own', { Cookie: 'svc_session=other; x=1' }))[0]).toBe(401);
  expect((await ask('GET', '/own', { Cookie: 'theme=dark' }))[0]).toBe(401);
});

it('a handler receives the client address that a trusted proxy names', async () => {
  const { ask } = await site({ addresses: new ClientAddresses(['127.0.0.1']) });
  const [, shown] = await ask('GET', '/open', { 'X-Forwarded-For': '198.51.100.7' });
  expect(shown).toEqual({ kind: null, address: '198.51.100.7' });
});
