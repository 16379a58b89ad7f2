import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { replyBytes, replyEmpty, replyStream } from '../../../src/api/http/answer/reply.ts';
import { type Route, route } from '../../../src/api/http/routing/route.ts';
import type { HttpServerOptions } from '../../../src/api/http/server.ts';
import { eventually, RawClient, served } from './served.ts';

const MB = 1_048_576;
const TYPE = 'application/octet-stream';

function told(path: `/${string}`, handler: Route['handler']): Route {
  return route({
    method: 'get',
    path,
    access: 'public',
    operationId: path.slice(1),
    summary: 's',
    tags: [],
    responses: { 200: { description: 's', contentType: TYPE } },
    handler: handler as never,
  });
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

/** More than the network and both kernels buffer, so that part of it has to wait in the server. */
const LONG = Buffer.alloc(24 * MB, 'x');

function big(options: Partial<HttpServerOptions> = {}) {
  const pieces = () => replyStream(200, TYPE, chunks(), { lengthBytes: LONG.length });
  async function* chunks() {
    for (let at = 0; at < LONG.length; at += MB) yield LONG.subarray(at, at + MB);
  }
  const chunked = () => replyStream(200, TYPE, chunks());
  return served(
    [
      told('/whole', () => replyBytes(200, TYPE, LONG)),
      told('/pieces', () => replyBytes(200, TYPE, [LONG.subarray(0, 5), LONG.subarray(5)])),
      told('/sized', pieces),
      told('/chunked', chunked),
    ],
    options,
  );
}

/** A client that counts the bytes it takes, a limited number at a time; it takes none until told to. */
class SlowReader {
  readonly socket;
  bytes = 0;
  isClosed = false;

  constructor(port: number, request: string) {
    this.socket = connect({ port, host: '127.0.0.1' });
    this.socket.pause();
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    this.socket.on('data', (data) => {
      this.bytes += data.byteLength;
    });
    this.socket.pause();
    this.socket.write(request);
    onTestFinished(() => void this.socket.destroy());
  }

  readAll(): void {
    this.socket.resume();
  }

  /** Reads for a moment every few milliseconds. */
  async trickle(untilBytes: number): Promise<void> {
    while (this.bytes < untilBytes && !this.isClosed) {
      const before = this.bytes;
      this.socket.resume();
      await eventually(() => this.bytes > before || this.isClosed);
      this.socket.pause();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

describe('a client that does not read', () => {
  it('cannot pile up answers by sending more requests', async () => {
    const text = 'x'.repeat(236_000);
    const { port, server } = await served([told('/doc', () => replyBytes(200, TYPE, text))]);
    const before = process.memoryUsage.rss();
    const asks = Buffer.from(get('/doc').repeat(2_000));
    const clients = Array.from({ length: 3 }, () => new SlowReader(port, `${asks}`));
    await eventually(() => clients.every(({ socket }) => socket.bytesWritten === asks.length));
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    // 3 x 2,000 answers are 1.4 GB.
    expect(process.memoryUsage.rss() - before).toBeLessThan(150 * MB);
    expect(server.pressure.unreadBytes).toBeLessThan(3 * MB);
    for (const { socket } of clients) socket.destroy();
    await eventually(() => server.pressure.unreadBytes === 0);
  });

  it('cannot pile up response heads by sending nothing but HEAD requests', async () => {
    const headers = { 'X-Long': 'x'.repeat(2_000) };
    const { port, url } = await served([told('/none', () => replyEmpty(200, headers))]);
    const head = 'HEAD /none HTTP/1.1\r\nHost: a\r\n\r\n';
    const before = process.memoryUsage.rss();
    const client = new SlowReader(port, '');
    // In pieces that arrive whole: uWebSockets.js rejects a request line in two pieces.
    for (let i = 0; i < 2_500 && !client.isClosed; i++) {
      client.socket.write(head.repeat(20));
      await new Promise(setImmediate);
    }
    await eventually(() => client.isClosed || client.socket.writableLength === 0);
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * MB);
    for (let i = 0; i < 200; i++) {
      const answer = await fetch(`${url}/none`, { method: 'HEAD' });
      expect([answer.status, await answer.text()]).toEqual([200, '']);
    }
  });

  for (const path of ['/whole', '/pieces', '/sized', '/chunked']) {
    it(`is disconnected when it reads nothing for too long (${path})`, async () => {
      const { port, server, failures } = await big({ backlog: { patienceMs: 250 } });
      const client = new SlowReader(port, get(path));
      await eventually(() => server.pressure.unreadBytes > 0);
      await eventually(() => server.pressure.droppedSlow === 1);
      expect(server.pressure.unreadBytes).toBe(0);
      client.readAll();
      await eventually(() => client.isClosed);
      expect(client.bytes).toBeLessThan(LONG.length);
      expect(failures).toEqual([]);
    });

    it(`gets every byte when it reads slowly (${path})`, async () => {
      const { port, server } = await big({ backlog: { patienceMs: 2_000 } });
      const client = new SlowReader(port, get(path));
      await eventually(() => server.pressure.unreadBytes > 0);
      await client.trickle(LONG.length);
      await eventually(() => server.pressure.unreadBytes === 0);
      expect(client.isClosed).toBe(false);
      expect(client.bytes).toBeGreaterThan(LONG.length);
      expect(server.pressure.droppedSlow).toBe(0);
    });
  }

  it('is disconnected first when too much is pending in total, and active readers lose nothing', async () => {
    const { port, server } = await big({ backlog: { maxBytes: 50 * MB } });
    const idle = new SlowReader(port, get('/whole'));
    await eventually(() => server.pressure.unreadBytes > 0);
    const reader = new SlowReader(port, get('/whole'));
    await eventually(() => server.pressure.unreadBytes > 30 * MB);
    const third = new SlowReader(port, get('/whole'));
    await eventually(() => server.pressure.droppedFull === 1);
    idle.readAll();
    await eventually(() => idle.isClosed);
    expect(idle.bytes).toBeLessThan(LONG.length);
    for (const each of [reader, third]) each.readAll();
    await eventually(() => reader.bytes > LONG.length && third.bytes > LONG.length);
    expect(server.pressure.unreadBytes).toBe(0);
  });
});

describe('requests on one connection', () => {
  it('never run at the same time', async () => {
    let underWay = 0;
    let most = 0;
    const slow = told('/slow', async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, 1));
      underWay -= 1;
      return replyBytes(200, TYPE, 'ok');
    });
    const { port, server } = await served([slow]);
    const client = new RawClient(port).write(get('/slow').repeat(50));
    const answers = () => client.received.split('\r\n\r\nok').length - 1;
    await eventually(() => answers() === 50 || client.isClosed);
    // uWebSockets.js hangs up on a client that sends more meanwhile; Node's server reads on after its answer.
    expect([most, answers()]).toEqual(server.library === 'uws' ? [1, 0] : [1, 50]);
  });

  it('take at most a fixed share of a turn of the event loop, however many arrive at once', async () => {
    let inTurn = 0;
    let most = 0;
    const count = told('/n', () => {
      if (inTurn === 0)
        setImmediate(() => {
          inTurn = 0;
        });
      inTurn += 1;
      most = Math.max(most, inTurn);
      return replyBytes(200, TYPE, '');
    });
    const { port, url } = await served([count]);
    const client = new RawClient(port).write(get('/n').repeat(15_000));
    await eventually(() => client.isClosed);
    expect(most).toBeLessThanOrEqual(4_098);
    expect((await fetch(`${url}/n`)).status).toBe(200);
  });
});
