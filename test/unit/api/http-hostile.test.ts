import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reply } from '../../../src/api/http/answer/reply.ts';
import { route } from '../../../src/api/http/routing/route.ts';
import { RawClient, type Served, served } from './served.ts';

const REQUESTS = 2_000;
const PARALLEL = 50;

const target = route({
  method: 'post',
  path: '/a/{id}',
  access: 'account',
  operationId: 'a',
  summary: 'a',
  tags: [],
  params: z.object({ id: z.string().max(10) }),
  query: z.object({ n: z.coerce.number().int().default(0) }),
  body: z.object({ text: z.string() }),
  responses: { 200: { description: 'ok', schema: z.any() } },
  handler: async ({ params, query, body }) => {
    await null;
    return reply(200, { params, query, body });
  },
});

const fast = route({
  method: 'get',
  path: '/f',
  access: 'public',
  operationId: 'f',
  summary: 'f',
  tags: [],
  query: z.object({ n: z.coerce.number() }),
  responses: { 200: { description: 'ok', schema: z.number() } },
  handler: async ({ query }) => {
    await Promise.resolve();
    return reply(200, query.n);
  },
});

/** Reproducible noise (mulberry32), so that a crash can be found again. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const SEEDS = [
  'POST /a/1?n=1 HTTP/1.1\r\nHost: a\r\nX-API-Key: svc_agent\r\nContent-Length: 12\r\n\r\n{"text":"x"}',
  'POST /a/%zz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"tex\r\n0\r\n\r\n',
  'GET /f?n=1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: -1\r\n\r\n',
  'HEAD /f HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n',
];

function garbage(random: (below: number) => number): Buffer {
  if (random(4) === 0) return Buffer.from(Array.from({ length: 1 + random(300) }, () => random(256)));
  const bytes = Buffer.from(SEEDS[random(SEEDS.length)]!);
  for (let i = random(6); i >= 0; i--) bytes[random(bytes.length)] = random(256);
  return bytes.subarray(0, 1 + random(bytes.length));
}

async function isAlive({ url }: Served): Promise<boolean> {
  return (await fetch(`${url}/f?n=5`)).status === 200;
}

describe('hostile clients', () => {
  it(`cannot stop the server with ${REQUESTS} requests of garbage`, async () => {
    const server = await served([target, fast]);
    const random = randomFrom(20260101);
    for (let done = 0; done < REQUESTS; done += PARALLEL) {
      const clients = Array.from({ length: PARALLEL }, () => new RawClient(server.port));
      await Promise.all(
        clients.map(async (client) => {
          client.socket.end(garbage(random));
          await client.closed();
        }),
      );
    }
    expect(await isAlive(server)).toBe(true);
    expect(server.failures).toEqual([]);
  });

  it('may pipeline requests whose handlers answer synchronously', async () => {
    const { port } = await served([fast]);
    const requests = Array.from({ length: 100 }, (_, n) => `GET /f?n=${n} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const client = new RawClient(port).write(requests.join(''));
    const answers = await client.until(({ received }) => received.endsWith('\r\n\r\n99'));
    const bodies = answers.match(/\r\n\r\n\d+/g)?.map((body) => Number(body.trim()));
    expect(bodies).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  it('get every answer on a connection that is reused', async () => {
    const { port } = await served([target]);
    const client = new RawClient(port);
    for (let n = 1; n <= 20; n++) {
      client.write(
        `POST /a/${n} HTTP/1.1\r\nHost: a\r\nX-API-Key: svc_agent\r\nContent-Length: 12\r\n\r\n{"text":"x"}`,
      );
      await client.until(({ received }) => received.split('HTTP/1.1 200').length === n + 1);
    }
    expect(client.isClosed).toBe(false);
  });
});
