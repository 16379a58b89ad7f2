import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reply, replyBytes, replyEmpty } from '../../../src/api/http/answer/reply.ts';
import { type Access, type Route, route } from '../../../src/api/http/routing/route.ts';
import { HttpServer } from '../../../src/api/http/server.ts';
import { GatewayError } from '../../../src/base/errors.ts';
import { HTTP_LIBRARY } from '../../support/http-library.ts';
import { RawClient, served } from './served.ts';

const Any = z.any();
const OK = { 200: { description: 'ok', schema: Any } };

function get(path: `/${string}`, handler: () => unknown, access: Access = 'public'): Route {
  return route({
    method: 'get',
    path,
    access,
    operationId: path,
    summary: path,
    tags: [],
    responses: OK,
    handler: async () => reply(200, await handler()),
  });
}

const echo = route({
  method: 'post',
  path: '/api/call/{call_id}/say',
  access: 'account',
  operationId: 'echo',
  summary: 'echo',
  tags: [],
  params: z.object({ call_id: z.string() }),
  query: z.object({ since: z.coerce.number().int().min(0).default(0) }),
  body: z.object({ text: z.string() }).optional(),
  responses: OK,
  handler: ({ principal, params, query, body }) =>
    reply(200, { principal, params, query, body: body ?? null }),
});

describe('routing', () => {
  it('gives a handler the validated input', async () => {
    const { url } = await served([echo]);
    const answer = await fetch(`${url}/api/call/a%2Fb%20c/say?since=7&since=8&other=1`, {
      method: 'POST',
      headers: { 'X-API-Key': 'svc_agent' },
      body: '{"text":"hé"}',
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      principal: { kind: 'agent' },
      params: { call_id: 'a/b c' },
      query: { since: 8 },
      body: { text: 'hé' },
    });
  });

  it('answers 404 to unknown paths and broken percent-encoding', async () => {
    const { url } = await served([echo, get('/x', () => 1)]);
    for (const path of [
      '/nope',
      '/',
      '/X',
      '/x/y',
      '/api/call/%zz/say',
      '/api/call/%C3/say',
      '/api/call//say',
    ]) {
      const answer = await fetch(url + path);
      expect(answer.status, path).toBe(404);
      expect(await answer.json()).toEqual({ detail: 'Not found', code: 'not_found' });
    }
    expect((await fetch(`${url}/x/`)).status).toBe(200);
  });

  it('answers 405 with Allow, HEAD for GET, and OPTIONS', async () => {
    const { url } = await served([echo, get('/x', () => 'body')]);
    const wrong = await fetch(`${url}/x`, { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await wrong.json()).toEqual({
      detail: 'Method not allowed; this path takes GET, HEAD, OPTIONS',
      code: 'method_not_allowed',
    });
    expect((await fetch(`${url}/api/call/1/say`)).headers.get('allow')).toBe('POST, OPTIONS');
    const head = await fetch(`${url}/x`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '6', '']);
    const options = await fetch(`${url}/x`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    expect((await fetch(`${url}/nope`, { method: 'OPTIONS' })).status).toBe(404);
  });

  it('answers empty replies with a content length, except 204', async () => {
    const empty = route({
      method: 'delete',
      path: '/x/{status}',
      access: 'public',
      operationId: 'empty',
      summary: 'empty',
      tags: [],
      params: z.object({ status: z.string() }),
      responses: { 202: { description: 'taken' }, 204: { description: 'gone' } },
      handler: ({ params }) => replyEmpty(params.status === '204' ? 204 : 202),
    });
    const { url } = await served([empty]);
    const taken = await fetch(`${url}/x/202`, { method: 'DELETE' });
    expect([taken.status, taken.headers.get('content-length')]).toEqual([202, '0']);
    const gone = await fetch(`${url}/x/204`, { method: 'DELETE' });
    expect([gone.status, gone.headers.get('content-length')]).toEqual([204, null]);
  });

  it('answers bytes with their type and headers', async () => {
    const bytes = route({
      method: 'get',
      path: '/b',
      access: 'public',
      operationId: 'b',
      summary: 'b',
      tags: [],
      responses: { 200: { description: 'b', contentType: 'application/octet-stream' } },
      handler: () => replyBytes(200, 'application/octet-stream', Uint8Array.of(0, 255, 1), { 'X-Is': 'y' }),
    });
    const { url } = await served([bytes]);
    const answer = await fetch(`${url}/b`);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(Uint8Array.of(0, 255, 1));
    expect(answer.headers.get('x-is')).toBe('y');
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
  });
});

describe('access control', () => {
  it('opens each route only to the right keys', async () => {
    const accesses: Access[] = ['public', 'runtime', 'config', 'account'];
    const { url } = await served(accesses.map((access) => get(`/${access}`, () => 1, access)));
    const statuses = async (headers: Record<string, string>) =>
      Promise.all(accesses.map(async (access) => (await fetch(`${url}/${access}`, { headers })).status));
    expect(await statuses({})).toEqual([200, 401, 401, 401]);
    expect(await statuses({ 'X-API-Key': 'svc_wrong' })).toEqual([200, 401, 401, 401]);
    expect(await statuses({ 'X-API-Key': 'svc_agent' })).toEqual([200, 200, 403, 200]);
    expect(await statuses({ Authorization: 'Bearer svc_agent' })).toEqual([200, 200, 403, 200]);
    expect(await statuses({ Authorization: 'bearer   svc_settings' })).toEqual([200, 403, 200, 200]);
    expect(await statuses({ Authorization: 'Basic svc_settings' })).toEqual([200, 401, 401, 401]);
  });

  it('names the reason, and how to authenticate', async () => {
    const { url } = await served([get('/x', () => 1, 'config')]);
    const missing = await fetch(`${url}/x`);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    expect(await missing.json()).toEqual({ detail: 'Invalid or missing API key', code: 'unauthorized' });
    const wrongKind = await fetch(`${url}/x`, { headers: { 'X-API-Key': 'svc_agent' } });
    expect(await wrongKind.json()).toEqual({
      detail: 'This endpoint takes a settings key or a browser session; this is an agent key',
      code: 'forbidden',
    });
  });
});

describe('errors', () => {
  it('returns gateway errors, hides all others and reports them with the request id', async () => {
    const { url, failures } = await served([
      get('/told', () => {
        throw new GatewayError('call_limit');
      }),
      get('/hidden', () => {
        throw new Error('secret');
      }),
    ]);
    const told = await fetch(`${url}/told`);
    expect([told.status, await told.json()]).toEqual([
      429,
      { detail: 'Concurrent call limit reached', code: 'call_limit' },
    ]);
    const hidden = await fetch(`${url}/hidden`, { headers: { 'X-Request-Id': 'mine-1' } });
    expect([hidden.status, await hidden.json()]).toEqual([
      500,
      { detail: 'Internal error', code: 'internal_error' },
    ]);
    expect(failures).toEqual([{ error: new Error('secret'), requestId: 'mine-1' }]);
  });

  it('survives a reply that cannot be serialized', async () => {
    const { url, failures } = await served([get('/x', () => 1n)]);
    expect((await fetch(`${url}/x`)).status).toBe(500);
    expect(failures).toHaveLength(1);
  });

  it('validates queries and bodies alike', async () => {
    const { url } = await served([echo]);
    const post = async (path: string, body: string) => {
      const headers = { 'X-API-Key': 'svc_agent' };
      const answer = await fetch(url + path, { method: 'POST', headers, body });
      return [answer.status, await answer.json()];
    };
    expect(await post('/api/call/1/say?since=abc', '{"text":"x"}')).toEqual([
      422,
      {
        detail: [{ loc: ['query', 'since'], type: 'int_parsing', msg: expect.any(String) }],
        code: 'validation_failed',
      },
    ]);
    expect(await post('/api/call/1/say', '{"text":')).toEqual([
      422,
      {
        detail: [
          {
            loc: ['body'],
            type: 'json_invalid',
            msg: 'Input is not valid JSON at line 1, column 9: expected a value, but the text ends',
          },
        ],
        code: 'validation_failed',
      },
    ]);
    expect(await post('/api/call/1/say', '{}')).toEqual([
      422,
      {
        detail: [{ loc: ['body', 'text'], type: 'missing', msg: 'Field required' }],
        code: 'validation_failed',
      },
    ]);
    expect((await post('/api/call/1/say', ''))[0]).toBe(200);
  });
});

describe('headers', () => {
  it('echoes sane request ids and replaces others', async () => {
    const { url } = await served([get('/x', () => 1)]);
    const idFor = async (path: string, id: string) =>
      (await fetch(url + path, { headers: { 'X-Request-Id': id } })).headers.get('x-request-id');
    expect(await idFor('/x', 'a.B-9_')).toBe('a.B-9_');
    expect(await idFor('/nope', 'kept')).toBe('kept');
    for (const insane of ['a b', 'x'.repeat(65), 'a"b', '<x>']) {
      expect(await idFor('/x', insane), insane).toMatch(/^req_/);
    }
    expect(await idFor('/x', '')).not.toBe(await idFor('/x', ''));
  });

  it('marks JSON as not to be sniffed or cached', async () => {
    const { url } = await served([get('/x', () => 1)]);
    const { headers } = await fetch(`${url}/x`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBe('application/json');
  });

  it('passes only the headers that a route names', async () => {
    const named = route({
      method: 'get',
      path: '/x',
      access: 'public',
      operationId: 'x',
      summary: 'x',
      tags: [],
      headers: ['range'],
      responses: OK,
      handler: async (request) => {
        await Promise.resolve();
        return reply(200, request.header('range'));
      },
    });
    const { url } = await served([named]);
    expect(await (await fetch(`${url}/x`, { headers: { Range: 'bytes=0-1' } })).json()).toBe('bytes=0-1');
    expect(await (await fetch(`${url}/x`)).json()).toBe('');
  });

  it('accepts up to 16 KB of headers and refuses more', async () => {
    const { port } = await served([get('/x', () => 1)]);
    const ask = (lengthBytes: number) =>
      new RawClient(port)
        .write(`GET /x HTTP/1.1\r\nHost: a\r\nX-Big: ${'y'.repeat(lengthBytes)}\r\n\r\n`)
        .until(({ received }) => received.includes('\r\n\r\n'));
    expect(await ask(12_000)).toMatch(/^HTTP\/1.1 200 /);
    expect(await ask(70_000)).toMatch(/^HTTP\/1.1 431 /);
  });

  it('uses the first of duplicate headers', async () => {
    const { port } = await served([get('/x', () => 1, 'account')]);
    const answer = await new RawClient(port)
      .write('GET /x HTTP/1.1\r\nHost: a\r\nX-API-Key: svc_agent\r\nX-API-Key: wrong\r\n\r\n')
      .until(({ received }) => received.includes('\r\n\r\n'));
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('reply headers', () => {
  it('cannot smuggle a line break', async () => {
    const types = ['text/plain\r\nX-Evil: 1', 'text/plain'];
    const smuggler = route({
      method: 'get',
      path: '/x/{index}',
      access: 'public',
      operationId: 'x',
      summary: 'x',
      tags: [],
      params: z.object({ index: z.coerce.number() }),
      responses: { 200: { description: 'x', contentType: 'text/plain' } },
      handler: ({ params }) =>
        replyBytes(200, types[params.index]!, 'x', { 'X-Name': params.index ? 'a\nb: c' : 'a' }),
    });
    const { url, failures } = await served([smuggler]);
    for (const index of [0, 1]) {
      const answer = await fetch(`${url}/x/${index}`);
      expect([answer.status, answer.headers.get('x-evil'), answer.headers.get('b')]).toEqual([
        500,
        null,
        null,
      ]);
    }
    expect(failures).toHaveLength(2);
  });
});

describe('listening', () => {
  const newServer = () =>
    new HttpServer({
      library: HTTP_LIBRARY,
      routes: [],
      sockets: [],
      authenticate: () => null,
      onError: () => undefined,
    });

  it('refuses a port that another server uses, and names it', async () => {
    const freed = await served([]);
    await freed.server.close(0);
    // Only a port that was chosen by number could be shared.
    const [first, second] = [newServer(), newServer()];
    await first.listen('127.0.0.1', freed.port);
    await expect(second.listen('127.0.0.1', freed.port)).rejects.toThrow(`127.0.0.1:${freed.port}`);
    await first.close(0);
    await second.listen('127.0.0.1', freed.port);
    expect(second.port).toBe(freed.port);
    await second.close(0);
  });

  it('refuses a host that is not of this machine, and names it', async () => {
    await expect(newServer().listen('203.0.113.1', 0)).rejects.toThrow('203.0.113.1:0');
  });
});

describe('declaring routes', () => {
  it('refuses two routes for one method and path, and parameters without a schema', () => {
    const twice = { routes: [echo, echo], sockets: [], authenticate: () => null, onError: () => undefined };
    expect(() => new HttpServer(twice)).toThrow('post /api/call/{call_id}/say is declared twice');
    expect(() => get('/x/{id}', () => 1)).toThrow('/x/{id}: parameters of path and schema differ');
  });
});
