import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorReply } from '../../../src/api/http/answer/error-reply.ts';
import { reply } from '../../../src/api/http/answer/reply.ts';
import { type Route, route } from '../../../src/api/http/routing/route.ts';
import { eventually, RawClient, served } from './served.ts';

const LIMIT_BYTES = 1_048_576;
const PUBLIC_LIMIT_BYTES = 16_384;

const post = route({
  method: 'post',
  path: '/x',
  access: 'public',
  operationId: 'post',
  summary: 'post',
  tags: [],
  body: z.object({ text: z.string() }),
  responses: { 200: { description: 'length', schema: z.int() } },
  handler: ({ body }) => reply(200, body.text.length),
});

/** A JSON body of exactly this many bytes. */
function bodyOf(bytes: number): string {
  return JSON.stringify({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
}

function head(lengthBytes: number | 'chunked'): string {
  const framing = lengthBytes === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${lengthBytes}`;
  return `POST /x HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`;
}

describe('request bodies', () => {
  it.each([
    { who: 'strangers', access: 'public', cap: PUBLIC_LIMIT_BYTES },
    { who: 'somebody with a key', access: 'runtime', cap: LIMIT_BYTES },
  ] as const)('of $who may be exactly $cap bytes long and not a byte longer', async ({ access, cap }) => {
    const { url } = await served([{ ...post, access }]);
    const send = (body: string) =>
      fetch(`${url}/x`, { method: 'POST', headers: { 'X-API-Key': 'svc_agent' }, body });
    expect((await send(bodyOf(cap))).status).toBe(200);
    const over = await send(bodyOf(cap + 1));
    expect([over.status, await over.json()]).toEqual([
      413,
      { detail: 'Request body exceeds the size limit', code: 'body_too_large' },
    ]);
  });

  it('of strangers stay small even where the operator allows larger bodies', async () => {
    const { url } = await served([post], { bodyLimitBytes: 8 * LIMIT_BYTES });
    const over = await fetch(`${url}/x`, { method: 'POST', body: bodyOf(PUBLIC_LIMIT_BYTES + 1) });
    expect(over.status).toBe(413);
  });

  it('may come in pieces of a byte; of too many at once, the connection is cut', async () => {
    const { port, server } = await served([post]);
    const chunks = (text: string) => text.replaceAll(/./g, '1\r\n$&\r\n');
    const patient = new RawClient(port).write(`${head('chunked')}${chunks(bodyOf(900))}0\r\n\r\n`);
    expect(await patient.until(({ received }) => received.includes('\r\n889'))).toMatch(/^HTTP\/1.1 200 /);
    const greedy = new RawClient(port).write(`${head('chunked')}${chunks(bodyOf(10_000))}`);
    expect(await greedy.closed()).toBe('');
    expect(server.pressure.droppedFragmented).toBe(1);
  });

  it('are not read when the route refuses the request beforehand', async () => {
    const refused: Route = { ...post, precheck: () => errorReply('unauthorized') };
    const { port } = await served([refused]);
    const client = new RawClient(port).write(head(1_000_000));
    expect(await client.closed()).toMatch(/^HTTP\/1.1 401 [\s\S]*"code":"unauthorized"/);
  });

  it('of strangers that stay incomplete share 32 MB, which does not affect others', async () => {
    const large: Route = { ...post, bodyLimitBytes: LIMIT_BYTES };
    const known: Route = { ...large, path: '/known', access: 'runtime' };
    const { port, url } = await served([large, known]);
    const clients = Array.from({ length: 40 }, () =>
      new RawClient(port).write(head(LIMIT_BYTES)).write(Buffer.alloc(LIMIT_BYTES - 1, ' ')),
    );
    const refused = () => clients.filter(({ received }) => received.startsWith('HTTP/1.1 503 '));
    await eventually(() => refused().length >= 8);
    expect(clients.filter(({ received }) => received === '').length).toBeGreaterThan(30);
    // A body that arrives at once needs no room, and neither does one of a known client.
    expect((await fetch(`${url}/x`, { method: 'POST', body: bodyOf(100) })).status).toBe(200);
    const slow = new RawClient(port).write(
      `POST /known HTTP/1.1\r\nHost: a\r\nX-API-Key: svc_agent\r\nContent-Length: ${LIMIT_BYTES}\r\n\r\n`,
    );
    slow.write(bodyOf(LIMIT_BYTES).slice(0, 900_000)).write(bodyOf(LIMIT_BYTES).slice(900_000));
    expect(await slow.until(({ received }) => received !== '')).toMatch(/^HTTP\/1.1 200 /);
  });

  it('of an account that stay incomplete share 32 MB, too', async () => {
    const { port, url } = await served([{ ...post, access: 'runtime' }]);
    const known = (lengthBytes: number) =>
      head(lengthBytes).replace('Host: a', 'Host: a\r\nX-API-Key: svc_agent');
    const clients = Array.from({ length: 40 }, () =>
      new RawClient(port).write(known(LIMIT_BYTES)).write(Buffer.alloc(LIMIT_BYTES - 1, ' ')),
    );
    const refused = () => clients.filter(({ received }) => received.includes('no_room_for_body'));
    await eventually(() => refused().length >= 8);
    expect(clients.filter(({ received }) => received === '').length).toBeGreaterThan(30);
    const atOnce = { method: 'POST', headers: { 'X-API-Key': 'svc_agent' }, body: bodyOf(100) };
    expect((await fetch(`${url}/x`, atOnce)).status).toBe(200);
  });

  it('may have at most 10,000 values', async () => {
    const { url } = await served([{ ...post, access: 'runtime' }]);
    const body = JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`k${n}`, 0])));
    const answer = await fetch(`${url}/x`, { method: 'POST', headers: { 'X-API-Key': 'svc_agent' }, body });
    expect([answer.status, await answer.json()]).toMatchObject([
      422,
      { detail: [{ loc: ['body'], type: 'json_too_long', msg: 'JSON may have at most 10000 values' }] },
    ]);
  });

  it('may be nested at most 32 levels deep', async () => {
    const { url } = await served([{ ...post, access: 'runtime', body: z.unknown() }]);
    const status = async (body: string) => {
      const answer = await fetch(`${url}/x`, {
        method: 'POST',
        headers: { 'X-API-Key': 'svc_agent' },
        body,
      });
      return [
        answer.status,
        answer.status === 422 ? ((await answer.json()) as { detail: unknown[] }).detail[0] : null,
      ];
    };
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    // The handler fails on the missing text, so the parsed body reached it.
    expect((await status(nested(32)))[0]).toBe(500);
    const tooDeep = {
      loc: ['body'],
      type: 'json_too_deep',
      msg: 'JSON may be nested at most 32 levels deep',
    };
    expect(await status(nested(33))).toEqual([422, tooDeep]);
    expect(await status('['.repeat(1_000_000))).toEqual([422, tooDeep]);
  });

  it('have their own size limit where the route sets one', async () => {
    const { url } = await served([{ ...post, bodyLimitBytes: 64 }]);
    expect((await fetch(`${url}/x`, { method: 'POST', body: bodyOf(64) })).status).toBe(200);
    expect((await fetch(`${url}/x`, { method: 'POST', body: bodyOf(65) })).status).toBe(413);
  });

  it('get 413 in the middle of an endless upload, and the connection is closed', async () => {
    const { port } = await served([{ ...post, bodyLimitBytes: 1000 }]);
    const client = new RawClient(port).write(head(1e12)).write('x'.repeat(5000));
    expect(await client.closed()).toMatch(/^HTTP\/1.1 413 [\s\S]*connection: close/i);
  });

  it('keep the connection open after a body that was too long but was read', async () => {
    const { port } = await served([{ ...post, bodyLimitBytes: 100 }]);
    const client = new RawClient(port).write(head(150) + bodyOf(150)).write(head(20) + bodyOf(20));
    const answers = await client.until(({ received }) => received.endsWith('\r\n\r\n9'));
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  it('may arrive in any pieces, chunked or not', async () => {
    const { port } = await served([post]);
    const client = new RawClient(port);
    client.socket.setNoDelay(true);
    // The server library cannot take a request line in pieces, so it is sent as one.
    const [requestLine, rest] = `${head(20)}${bodyOf(20)}`.split(/(?<=HTTP.1.1\r\n)/);
    client.write(requestLine!);
    for (const byte of rest!) {
      client.write(byte);
      await new Promise(setImmediate);
    }
    await client.until(({ received }) => received.endsWith('\r\n\r\n9'));
    const body = bodyOf(20);
    client
      .write(`${head('chunked')}5\r\n${body.slice(0, 5)}\r\n`)
      .write(`f\r\n${body.slice(5)}\r\n0\r\n\r\n`);
    // Perhaps chunked, in the last answer of the connection: anything could follow a chunked body.
    await client.until(({ received }) => /(\r\n\r\n(1\r\n)?9[\s\S]*){2}/.test(received));
  });

  it('get 408 when they stall, and when they trickle for too long', async () => {
    const { port } = await served([post], { bodySilenceMs: 60, bodyDeadlineMs: 300 });
    const stalled = new RawClient(port).write(`${head(20)}{"te`);
    expect(await stalled.closed()).toMatch(/^HTTP\/1.1 408 [\s\S]*"detail":/);

    const trickling = new RawClient(port).write(head(1000));
    const drip = setInterval(() => trickling.write('x'), 10);
    try {
      expect(await trickling.closed()).toMatch(/^HTTP\/1.1 408 /);
    } finally {
      clearInterval(drip);
    }
  });

  it('that are cut off cause no failure and reach no handler', async () => {
    let isHandled = false;
    const watched: Route = {
      ...post,
      handler: () => {
        isHandled = true;
        return reply(200, 1);
      },
    };
    const { port, url, failures } = await served([watched]);
    for (let i = 0; i < 50; i++) {
      const client = new RawClient(port).write(`${head(20)}{"te`);
      await new Promise<void>((resolve) => client.socket.once('connect', resolve));
      client.socket.destroy();
    }
    expect((await fetch(`${url}/x`, { method: 'POST', body: '{}' })).status).toBe(422);
    expect([isHandled, failures]).toEqual([false, []]);
  });

  it('are ignored where the route takes no body', async () => {
    const bare = route({
      method: 'post',
      path: '/bare',
      access: 'public',
      operationId: 'bare',
      summary: 'bare',
      tags: [],
      responses: { 200: { description: 'ok', schema: z.int() } },
      handler: () => reply(200, 1),
    });
    const { url } = await served([bare]);
    expect((await fetch(`${url}/bare`, { method: 'POST', body: 'not json' })).status).toBe(200);
    expect((await fetch(`${url}/bare`, { method: 'POST' })).status).toBe(200);
  });
});
