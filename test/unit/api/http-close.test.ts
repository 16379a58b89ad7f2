import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { reply, replyStream } from '../../../src/api/http/answer/reply.ts';
import { type Route, route } from '../../../src/api/http/routing/route.ts';
import type { SocketRoute } from '../../../src/api/http/socket/socket.ts';
import { eventually, RawClient, served } from './served.ts';

const GET = 'GET /w HTTP/1.1\r\nHost: a\r\n\r\n';

function waiting(): { route: Route; waiters: (() => void)[] } {
  const waiters: (() => void)[] = [];
  const declared = route({
    method: 'get',
    path: '/w',
    access: 'public',
    operationId: 'w',
    summary: 'w',
    tags: [],
    responses: { 200: { description: 'ok', schema: z.string() } },
    handler: async () => {
      await new Promise<void>((resolve) => waiters.push(resolve));
      return reply(200, 'finished');
    },
  });
  return { route: declared, waiters };
}

const quiet: SocketRoute = {
  path: '/ws',
  maxMessageBytes: 100,
  pace: { most: 100, perSecond: 100 },
  accept: () => ({
    accountId: 'acc_1',
    opened: () => undefined,
    text: () => undefined,
    binary: () => undefined,
    pong: () => undefined,
    drained: () => undefined,
    closed: () => undefined,
  }),
};

describe('closing the server', () => {
  it('lets requests in flight finish, then closes idle connections', async () => {
    const { route, waiters } = waiting();
    const { server, port } = await served([route]);
    const idle = new RawClient(port);
    const busy = new RawClient(port).write(GET);
    await eventually(() => waiters.length === 1);
    const closed = server.close(60_000);
    const late = new RawClient(port);
    await late.closed();
    expect([busy.isClosed, busy.received]).toEqual([false, '']);
    waiters[0]!();
    expect(await busy.closed()).toMatch(/200 OK[\s\S]*connection: close[\s\S]*"finished"/i);
    await closed;
    await idle.closed();
    expect(server.port).toBe(-1);
    await server.close(0);
  });

  it('lets a streamed answer end properly', async () => {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const streamed = route({
      ...waiting().route,
      responses: { 200: { description: 'ok', contentType: 'text/plain' } },
      handler: () => replyStream(200, 'text/plain', pieces()),
    });
    async function* pieces() {
      yield 'first';
      await mayEnd;
      yield 'last';
    }
    const { server, port } = await served([streamed]);
    const reader = new RawClient(port).write(GET);
    await reader.until(({ received }) => received.includes('first'));
    const closed = server.close(60_000);
    end();
    expect(await reader.closed()).toMatch(/\r\n\r\n5\r\nfirst\r\n4\r\nlast\r\n0\r\n\r\n$/);
    await closed;
  });

  it('waits no longer than its deadline', async () => {
    const { route, waiters } = waiting();
    const { server, port, failures } = await served([route]);
    const busy = new RawClient(port).write(GET);
    await eventually(() => waiters.length === 1);
    await server.close(30);
    expect(await busy.closed()).toBe('');
    waiters[0]!();
    await new Promise(setImmediate);
    expect(failures).toEqual([]);
  });

  it('sends WebSockets a close frame', async () => {
    const { server, port } = await served([], { sockets: [quiet] });
    const client = new WebSocket(`ws://127.0.0.1:${port}/ws`);
    await new Promise((resolve) => client.on('open', resolve));
    const closed = new Promise((resolve) => client.on('close', resolve));
    await server.close(60_000);
    expect(await closed).toBe(1001);
  });
});
