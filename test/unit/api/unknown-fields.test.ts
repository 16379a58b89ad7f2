import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { reply, replyStream } from '../../../src/api/http/answer/reply.ts';
import type { Idempotency } from '../../../src/api/http/idempotency/idempotency.ts';
import { type Access, type Route, route } from '../../../src/api/http/routing/route.ts';
import { served } from './served.ts';

const HEADER = 'x-ignored-fields';

const Body = z.object({
  name: z.string(),
  auto_answer: z.boolean().optional(),
  place: z.object({ city: z.string().optional() }).optional(),
  items: z.array(z.union([z.object({ id: z.string() }), z.object({ url: z.string() })])).default([]),
  kinds: z.partialRecord(z.enum(['call', 'chat']), z.boolean()).optional(),
  labels: z.record(z.string(), z.string().nullable()).optional(),
});

function taking(access: Access, more: Partial<Route> = {}): Route {
  const path = `/${access}` as const;
  const responses = { 200: { description: 'ok', schema: z.unknown() } };
  const common = { method: 'post', path, access, operationId: access, summary: access, tags: [] } as const;
  return { ...route({ ...common, body: Body, responses, handler: ({ body }) => reply(200, body) }), ...more };
}

/** Posts to a route that the key may use. Resolves with the status, what was ignored, and the body. */
async function posting(routes: Route[], options: Parameters<typeof served>[1] = {}) {
  const { url } = await served(routes, options);
  return async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const key = path.startsWith('/config') ? 'svc_settings' : 'svc_agent';
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'X-API-Key': key, ...headers },
      body: text,
    });
    return {
      status: answer.status,
      ignored: answer.headers.get(HEADER),
      replayed: answer.headers.get('idempotent-replayed'),
      body: JSON.parse(await answer.text()),
    };
  };
}

const NESTED = {
  name: 'x',
  colour: 1,
  place: { city: 'y', zip: 2 },
  items: [{ id: 'a' }, { url: 'b', size: 3 }],
  labels: { anything: 'goes' },
};

describe('an endpoint for settings', () => {
  test('refuses unknown fields at every depth, and names what was probably meant', async () => {
    const post = await posting([taking('config')]);
    const { status, ignored, body } = await post('/config', {
      ...NESTED,
      colour: undefined,
      autoAnswer: true,
      kinds: { calls: true },
    });
    expect([status, ignored, body.code]).toEqual([422, null, 'validation_failed']);
    const faults = body.detail.map(({ loc, msg, type }: Record<string, string[]>) => [
      loc!.join('.'),
      type,
      msg,
    ]);
    expect(faults).toEqual([
      ['body.place.zip', 'extra_forbidden', 'Unknown field "zip"; the fields are "city"'],
      ['body.items.1.size', 'extra_forbidden', 'Unknown field "size"; the fields are "url"'],
      ['body.autoAnswer', 'extra_forbidden', 'Unknown field "autoAnswer"; did you mean "auto_answer"?'],
      ['body.kinds.calls', 'extra_forbidden', 'Unknown field "calls"; did you mean "call"?'],
    ]);
  });

  test('names unknown fields together with all other faults', async () => {
    const post = await posting([taking('config')]);
    const { body } = await post('/config', { nmae: 'x' });
    expect(body.detail.map(({ msg }: { msg: string }) => msg)).toEqual([
      'Unknown field "nmae"; did you mean "name"?',
      'Field required',
    ]);
  });

  test('refuses unknown parameters of a query', async () => {
    const query = z.object({ limit: z.string().optional() });
    const post = await posting([taking('config', { query })]);
    expect((await post('/config?limit=1', { name: 'x' })).status).toBe(200);
    expect((await post('/config?limits=1', { name: 'x' })).body.detail).toEqual([
      {
        loc: ['query', 'limits'],
        type: 'extra_forbidden',
        msg: 'Unknown field "limits"; did you mean "limit"?',
      },
    ]);
  });
});

describe('every other endpoint', () => {
  test('ignores unknown fields at every depth, and names them', async () => {
    const query = z.object({ limit: z.string().optional() });
    const post = await posting([taking('runtime', { query })]);
    expect(await post('/runtime?cursor=7', NESTED)).toMatchObject({
      status: 200,
      ignored: 'cursor, colour, place.zip, items[1].size',
      body: { name: 'x', place: { city: 'y' } },
    });
    expect(await post('/runtime', { name: 'x' })).toMatchObject({ status: 200, ignored: null });
  });

  test('names them with errors, on HEAD, and with streams', async () => {
    const query = z.object({ limit: z.string().optional() });
    const responses = { 200: { description: 'ok', contentType: 'text/plain' } };
    const streaming = route({
      method: 'get',
      path: '/stream',
      access: 'public',
      operationId: 's',
      summary: 's',
      tags: [],
      query,
      responses,
      handler: () =>
        replyStream(
          200,
          'text/plain',
          (async function* () {
            yield 'text';
          })(),
        ),
    });
    const failing = taking('runtime', {
      handler: () => {
        throw new Error('a bug');
      },
    });
    const { url } = await served([streaming, failing]);
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetch(`${url}/stream?colour=1`, { method });
      expect([answer.status, answer.headers.get(HEADER)]).toEqual([200, 'colour']);
    }
    const failed = await fetch(`${url}/runtime`, {
      method: 'POST',
      headers: { 'X-API-Key': 'svc_agent' },
      body: JSON.stringify({ name: 'x', colour: 1 }),
    });
    expect([failed.status, failed.headers.get(HEADER)]).toEqual([500, 'colour']);
    const wrong = await fetch(`${url}/runtime`, {
      method: 'POST',
      headers: { 'X-API-Key': 'svc_agent' },
      body: JSON.stringify({ title: 'x' }),
    });
    expect([wrong.status, wrong.headers.get(HEADER)]).toEqual([422, 'title']);
  });

  test('names them with a stored answer', async () => {
    const stored = reply(200, { stored: true }, { 'Idempotent-Replayed': 'true' });
    const idempotency: Idempotency = { once: async () => stored };
    const post = await posting([taking('runtime')], { idempotency });
    const answer = await post('/runtime', { name: 'x', colour: 1 }, { 'Idempotency-Key': 'k' });
    expect(answer).toMatchObject({ ignored: 'colour', replayed: 'true', body: { stored: true } });
  });
});

describe('hostile names', () => {
  test('are escaped, cut and counted in the header', async () => {
    const post = await posting([taking('runtime')]);
    const ignoredOf = async (names: string) => (await post('/runtime', `{"name": "x", ${names}}`)).ignored;
    expect(await ignoredOf('"__proto__": 1, "constructor": 1, "toString": 1')).toBe(
      '__proto__, constructor, toString',
    );
    expect(await ignoredOf('"a, b\\r\\nSet-Cookie: x\\u0000": 1')).toBe('a%2C%20b%0D%0ASet-Cookie%3A%20x%00');
    expect(await ignoredOf('"é": 1, "\\ud800": 1, "a.b": 1')).toBe('%C3%A9, %EF%BF%BD, a%2Eb');
    expect(await ignoredOf(`"${'k'.repeat(65_536)}": 1`)).toBe(`${'k'.repeat(64)}%E2%80%A6`);
    const many = Array.from({ length: 9_000 }, (_, n) => `"f${n}": 1`).join();
    expect(await ignoredOf(many)).toBe(`${Array.from({ length: 20 }, (_, n) => `f${n}`).join(', ')}, ...`);
    const long = Array.from({ length: 20 }, (_, n) => `"${'é'.repeat(60)}${n}": 1`).join();
    expect((await ignoredOf(long))!.length).toBeLessThan(1_100);
    expect(await ignoredOf(long)).toMatch(/, \.\.\.$/);
  });

  test('are cut and counted in errors, at little cost', async () => {
    const post = await posting([taking('config')]);
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`auto_answe${n}`, 1]));
    const startMs = performance.now();
    const { body } = await post('/config', many);
    expect(performance.now() - startMs).toBeLessThan(5_000);
    expect(body.detail.filter(({ type }: { type: string }) => type === 'extra_forbidden')).toHaveLength(20);
    const long = await post('/config', { name: 'x', ['k'.repeat(65_536)]: 1 });
    expect(JSON.stringify(long.body).length).toBeLessThan(500);
    expect((await post('/config', '{"name": "x", "__proto__": {"name": "y"}}')).body.detail).toHaveLength(1);
  });
});
