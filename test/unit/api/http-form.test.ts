import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reply } from '../../../src/api/http/answer/reply.ts';
import { BodyStream } from '../../../src/api/http/request/body-stream.ts';
import { type Route, route } from '../../../src/api/http/routing/route.ts';
import { GatewayError } from '../../../src/base/errors.ts';
import { eventually, RawClient, served } from './served.ts';

const MB = 1_048_576;

/** A form route with a handler of the test's choice. */
function formRoute(handle: (body: BodyStream) => Promise<number>): Route {
  return route({
    method: 'post',
    path: '/form',
    access: 'public',
    operationId: 'form',
    summary: 'form',
    tags: [],
    form: z.object({ file: z.string() }),
    responses: { 200: { description: 'a number', schema: z.int() } },
    handler: async ({ body }) => reply(200, await handle(body)),
  });
}

async function countBytes(body: BodyStream): Promise<number> {
  let lengthBytes = 0;
  for await (const chunk of body) lengthBytes += chunk.byteLength;
  return lengthBytes;
}

function head(lengthBytes: number): string {
  return `POST /form HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${lengthBytes}\r\n\r\n`;
}

const FORM = { 'Content-Type': 'multipart/form-data; boundary=b' };

describe('streamed forms', () => {
  it('reach the handler in full, before they have arrived in full', async () => {
    let firstBytes = 0;
    const watched = formRoute(async (body) => {
      let lengthBytes = 0;
      for await (const chunk of body) {
        lengthBytes += chunk.byteLength;
        firstBytes ||= lengthBytes;
      }
      return lengthBytes;
    });
    const { port } = await served([watched]);
    const client = new RawClient(port).write(head(200_000)).write('x'.repeat(1_000));
    await eventually(() => firstBytes > 0);
    expect(firstBytes).toBeLessThanOrEqual(1_000);
    client.write('x'.repeat(199_000));
    await client.until(({ received }) => received.endsWith('200000'));
  });

  it('stay with the client while the handler is busy', async () => {
    const gate = Promise.withResolvers<void>();
    const { port, url } = await served([
      formRoute(async (body) => {
        await gate.promise;
        return await countBytes(body);
      }),
    ]);
    const client = new RawClient(port).write(head(64 * MB));
    const piece = Buffer.alloc(MB, 0x78);
    for (let i = 0; i < 64; i++) client.write(piece);
    // Others are served meanwhile; the paused client's bytes stay in the kernels' buffers and in its own.
    for (let i = 0; i < 20; i++) expect((await fetch(`${url}/nothing`)).status).toBe(404);
    expect(client.socket.writableLength).toBeGreaterThan(32 * MB);
    gate.resolve();
    await client.until(({ received }) => received.endsWith(`${64 * MB}`));
  });

  it('keep the connection when the handler answers early and the rest arrives', async () => {
    const { port } = await served([formRoute(async () => 7)]);
    const client = new RawClient(port).write(head(300_000));
    await client.until(({ received }) => received.endsWith('\r\n\r\n7'));
    client.write('x'.repeat(300_000)).write(head(1)).write('x');
    await client.until(({ received }) => received.split('\r\n\r\n7').length === 3);
  });

  it('return an error in the middle of an endless upload', async () => {
    const { port } = await served([
      formRoute(async (body) => {
        let lengthBytes = 0;
        for await (const chunk of body) {
          lengthBytes += chunk.byteLength;
          if (lengthBytes > 100_000) throw new GatewayError('file_too_large');
        }
        return 0;
      }),
    ]);
    const client = new RawClient(port).write(head(1e12)).write('x'.repeat(200_000));
    expect(await client.until(({ received }) => received.includes('size'))).toMatch(/^HTTP\/1.1 413 /);
  });

  it('get 408 when they stall, and when they trickle for too long', async () => {
    const { port } = await served([formRoute(countBytes)], { bodySilenceMs: 60, formDeadlineMs: 300 });
    const stalled = new RawClient(port).write(`${head(2_000)}xyz`);
    expect(await stalled.until(({ received }) => received.includes('detail'))).toMatch(/^HTTP\/1.1 408 /);
    const trickling = new RawClient(port).write(head(100_000));
    const drip = setInterval(() => trickling.write('x'), 10);
    try {
      expect(await trickling.until(({ received }) => received.includes('detail'))).toMatch(/^HTTP\/1.1 408 /);
    } finally {
      clearInterval(drip);
    }
  });

  it('do not count the handler’s own time against the client', async () => {
    const { port } = await served(
      [
        formRoute(async (body) => {
          await new Promise((resolve) => setTimeout(resolve, 200));
          return await countBytes(body);
        }),
      ],
      { bodySilenceMs: 60 },
    );
    const client = new RawClient(port).write(`${head(5)}hello`);
    await client.until(({ received }) => received.endsWith('\r\n\r\n5'));
  });

  it('end their handler when the client disconnects', async () => {
    const ends: unknown[] = [];
    const { port, failures } = await served([
      formRoute(async (body) => {
        try {
          return await countBytes(body);
        } catch (error) {
          ends.push(error);
          throw error;
        }
      }),
    ]);
    const client = new RawClient(port).write(`${head(2_000)}xyz`);
    await new Promise<void>((resolve) => client.socket.once('connect', resolve));
    client.socket.destroy();
    await eventually(() => ends.length > 0);
    expect(ends).toMatchObject([{ name: 'AbortError' }]);
    expect(failures).toEqual([]);
  });

  it('are refused when the body has another type', async () => {
    const { url } = await served([formRoute(countBytes)]);
    for (const headers of [{}, { 'Content-Type': 'application/json' }, { 'Content-Type': 'multipart/x' }]) {
      const answer = await fetch(`${url}/form`, { method: 'POST', headers, body: '{}' });
      expect([answer.status, await answer.json()]).toMatchObject([
        422,
        { detail: [{ type: 'form_expected' }] },
      ]);
    }
  });

  it('can share a route with JSON', async () => {
    const both = route({
      method: 'post',
      path: '/form',
      access: 'public',
      operationId: 'both',
      summary: 'both',
      tags: [],
      body: z.object({ n: z.int() }),
      form: z.object({ file: z.string() }),
      responses: { 200: { description: 'a number', schema: z.int() } },
      handler: async ({ body }) => reply(200, body instanceof BodyStream ? await countBytes(body) : body.n),
    });
    const { url } = await served([both]);
    const asForm = await fetch(`${url}/form`, { method: 'POST', headers: FORM, body: 'x'.repeat(2 * MB) });
    const asJson = await fetch(`${url}/form`, { method: 'POST', body: '{"n":5}' });
    const wrong = await fetch(`${url}/form`, { method: 'POST', body: '{}' });
    expect([await asForm.json(), await asJson.json(), wrong.status]).toEqual([2 * MB, 5, 422]);
  });
});

describe('raw bodies', () => {
  const raw = route({
    method: 'post',
    path: '/raw',
    access: 'public',
    operationId: 'raw',
    summary: 'raw',
    tags: [],
    body: 'raw',
    bodyLimitBytes: 1_000,
    responses: { 200: { description: 'hex', schema: z.string() } },
    handler: ({ body }) => reply(200, Buffer.from(body).toString('hex')),
  });

  it('reach the handler byte by byte, up to the size limit', async () => {
    const { url } = await served([raw]);
    const bytes = Uint8Array.from([0, 255, 10, 13, 0xc3, 0x28]);
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/raw`, { method: 'POST', headers, body: bytes });
    expect(await answer.json()).toBe('00ff0a0dc328');
    expect(await (await fetch(`${url}/raw`, { method: 'POST' })).json()).toBe('');
    expect((await fetch(`${url}/raw`, { method: 'POST', body: 'x'.repeat(1_000) })).status).toBe(200);
    expect((await fetch(`${url}/raw`, { method: 'POST', body: 'x'.repeat(1_001) })).status).toBe(413);
  });
});
