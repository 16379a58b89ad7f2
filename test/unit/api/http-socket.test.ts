import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Socket, SocketHandler, SocketRoute } from '../../../src/api/http/socket/socket.ts';
import { GatewayError } from '../../../src/base/errors.ts';
import { HTTP_LIBRARY } from '../../support/http-library.ts';
import { eventually, RawClient, served } from './served.ts';

const MAX_BYTES = 1_048_576;

class Recorder implements SocketHandler {
  readonly accountId = 'acc_1';
  socket: Socket | null = null;
  readonly events: string[] = [];
  binaryBytes: number[] = [];

  opened(socket: Socket): void {
    this.socket = socket;
    this.events.push('opened');
  }

  text(text: string): void {
    this.events.push(`text ${text}`);
    if (text === 'throw') throw new Error('handler');
    this.socket?.sendText(`echo ${text}`);
  }

  binary(bytes: ArrayBuffer): void {
    this.binaryBytes.push(bytes.byteLength);
  }

  pong(ping: number): void {
    this.events.push(`pong ${ping}`);
  }

  drained(): void {
    this.events.push('drained');
  }

  closed(code: number, reason: string): void {
    this.events.push(`closed ${code} ${reason}`);
  }
}

async function socketServer(accept?: SocketRoute['accept']) {
  const recorder = new Recorder();
  const route: SocketRoute = {
    path: '/api/call/{call_id}/stream',
    maxMessageBytes: MAX_BYTES,
    pace: { most: 10_000, perSecond: 10_000 },
    accept: accept ?? (() => recorder),
  };
  const server = await served([], { sockets: [route] });
  return { ...server, recorder, wsUrl: `ws://127.0.0.1:${server.port}/api/call/c%201/stream` };
}

function closeOf(client: WebSocket): Promise<[number, string]> {
  client.on('error', () => undefined);
  return new Promise((resolve) => client.on('close', (code, reason) => resolve([code, reason.toString()])));
}

function opened(client: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    client.on('open', () => resolve());
    client.on('error', reject);
  });
}

function refusal(url: string): Promise<{ status: number | undefined; body: unknown; type: unknown }> {
  return new Promise((resolve) => {
    new WebSocket(url).on('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (data) => {
        text += data;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          body: JSON.parse(text),
          type: response.headers['content-type'],
        }),
      );
    });
  });
}

describe('the WebSocket handshake', () => {
  it('passes on parameters, query and credential, and echoes the request id', async () => {
    let seen: unknown;
    const { wsUrl } = await socketServer(({ params, query, credential, requestId }) => {
      seen = { params, key: query.get('api_key'), credential, requestId };
      return new Recorder();
    });
    const client = new WebSocket(`${wsUrl}?api_key=svc_a%2Bb`, {
      headers: { 'X-Request-Id': 'r1', 'X-API-Key': 'svc_agent' },
    });
    const headers = new Promise((resolve) => client.on('upgrade', (response) => resolve(response.headers)));
    await opened(client);
    expect(seen).toEqual({
      params: { call_id: 'c 1' },
      key: 'svc_a+b',
      credential: 'svc_agent',
      requestId: 'r1',
    });
    expect(await headers).toMatchObject({ 'x-request-id': 'r1' });
    client.close();
  });

  it('is refused with JSON before the upgrade', async () => {
    const { wsUrl, port, url, failures } = await socketServer(({ query }) => {
      if (query.get('fail') === 'bug') throw new Error('bug');
      throw new GatewayError(query.get('fail') === 'call' ? 'call_not_found' : 'unauthorized');
    });
    expect(await refusal(wsUrl)).toEqual({
      status: 401,
      body: { detail: 'Invalid or missing API key', code: 'unauthorized' },
      type: 'application/json',
    });
    expect(await refusal(`${wsUrl}?fail=call`)).toMatchObject({ status: 404 });
    expect(await refusal(`${wsUrl}?fail=bug`)).toMatchObject({ status: 500 });
    expect(failures).toHaveLength(1);
    expect(await refusal(`ws://127.0.0.1:${port}/nope`)).toMatchObject({ status: 404 });
    const plain = await fetch(`${url}/api/call/1/stream`);
    expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket']);
    expect((await fetch(`${url}/api/call/1/stream`, { method: 'POST' })).status).toBe(405);
  });
});

describe('a hostile client', () => {
  const handshake = (lines: string[]): string =>
    ['GET /api/call/1/stream HTTP/1.1', 'Host: a', 'Connection: Upgrade', ...lines, '', ''].join('\r\n');
  const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';

  it('gets no socket by an invalid handshake', async () => {
    const { port, recorder } = await socketServer();
    const answers: Record<string, RegExp> = {
      [handshake(['Upgrade: websocket', KEY, 'Sec-WebSocket-Version: 8'])]:
        /^HTTP\/1\.1 426 [\s\S]*sec-websocket-version: 13/i,
      [handshake(['Upgrade: websocket', KEY])]: /^HTTP\/1\.1 426 /,
      [handshake(['Upgrade: websocket', 'Sec-WebSocket-Key: short', 'Sec-WebSocket-Version: 13'])]:
        /^HTTP\/1\.1 4(00|26) /,
      [handshake(['Upgrade: h2c', KEY, 'Sec-WebSocket-Version: 13'])]: /^HTTP\/1\.1 426 /,
    };
    for (const [request, answer] of Object.entries(answers)) {
      const client = new RawClient(port).write(request);
      expect(await client.until(({ received }) => received.includes('"detail"'))).toMatch(answer);
    }
    expect(recorder.events).toEqual([]);
  });

  it.runIf(HTTP_LIBRARY === 'node')('cannot hide a body in a handshake', async () => {
    const { port } = await socketServer();
    const request = handshake(['Upgrade: h2c', 'Content-Length: 3']).replace('GET', 'POST');
    const client = new RawClient(port).write(`${request}abc`);
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('cannot make the server buffer more than a message may have, whatever it announces', async () => {
    const { port, recorder } = await socketServer();
    const client = new RawClient(port).write(
      handshake(['Upgrade: websocket', KEY, 'Sec-WebSocket-Version: 13']),
    );
    await client.until(({ received }) => received.includes('\r\n\r\n'));
    // The header of a masked binary frame of 16 MB, without any of its payload.
    client.write(Buffer.from([0x82, 0xff, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4]));
    await client.closed();
    await eventually(() => recorder.events.some((event) => event.startsWith('closed')));
  });

  it.runIf(HTTP_LIBRARY === 'node')('gets close code 1002 when it does not mask', async () => {
    const { port, recorder } = await socketServer();
    const client = new RawClient(port).write(
      handshake(['Upgrade: websocket', KEY, 'Sec-WebSocket-Version: 13']),
    );
    await client.until(({ received }) => received.includes('\r\n\r\n'));
    client.write(Buffer.from([0x81, 0x02, 0x68, 0x69]));
    await client.until(({ received }) => received.endsWith('\x88\x02\x03\xea'));
    expect(recorder.events).toEqual(['opened']);
  });
});

describe('an open socket', () => {
  it('sends corked data whole and in order, including more than the cork holds and pings', async () => {
    const { wsUrl, recorder } = await socketServer();
    const client = new WebSocket(wsUrl);
    const received: number[] = [];
    client.on('message', (data: Buffer) => received.push(data.length * 1_000 + (data[0] ?? 0)));
    await opened(client);
    recorder.socket?.cork(() => {
      for (let n = 1; n <= 40; n++) {
        const sent = recorder.socket?.sendBinary(new Uint8Array(640).fill(n), n % 5 === 0 ? n : undefined);
        expect(sent).toBe(true);
      }
    });
    await eventually(() => received.length === 40 && recorder.events.includes('pong 40'));
    expect(received).toEqual(Array.from({ length: 40 }, (_, i) => 640_001 + i));
    expect(recorder.socket?.bufferedBytes()).toBe(0);
    client.terminate();
    await eventually(() => recorder.events.some((event) => event.startsWith('closed')));
    let called = 0;
    recorder.socket?.cork(() => called++);
    expect(called).toBe(1);
  });

  it('carries text, binary, pings and closes both ways', async () => {
    const { wsUrl, recorder } = await socketServer();
    const client = new WebSocket(wsUrl);
    const received: string[] = [];
    client.on('message', (data, isBinary) => received.push(isBinary ? `binary ${data}` : `${data}`));
    await opened(client);
    client.send('hé');
    client.send(Buffer.alloc(0));
    client.send(Buffer.alloc(7));
    await eventually(() => recorder.binaryBytes.length === 2 && received.length === 1);
    expect([received, recorder.binaryBytes]).toEqual([['echo hé'], [0, 7]]);
    const shared = new Uint8Array(new SharedArrayBuffer(8), 2, 3).fill(0x61);
    expect(recorder.socket?.sendBinary(shared)).toBe(true);
    expect(recorder.socket?.sendBinary(shared.subarray(1), 3_000_000_000)).toBe(true);
    await eventually(() => received.length === 3 && recorder.events.includes('pong 3000000000'));
    expect(received.slice(1)).toEqual(['binary aaa', 'binary aa']);
    const close = closeOf(client);
    recorder.socket?.close(4001, 'done');
    expect(await close).toEqual([4001, 'done']);
    expect(recorder.events.at(-1)).toBe('closed 4001 done');
    expect(recorder.socket?.sendText('x')).toBe(false);
    expect(recorder.socket?.sendBinary(shared)).toBe(false);
    expect(recorder.socket?.sendBinary(shared, 1)).toBe(false);
    expect(recorder.socket?.bufferedBytes()).toBe(0);
    recorder.socket?.close(1000, '');
    expect(recorder.events.filter((event) => event.startsWith('closed'))).toHaveLength(1);
  });

  it('reports to its handler how the client closed', async () => {
    const { wsUrl, recorder } = await socketServer();
    const polite = new WebSocket(wsUrl);
    await opened(polite);
    polite.close(4002, 'bye');
    await eventually(() => recorder.events.includes('closed 4002 bye'));
    const rude = new WebSocket(wsUrl);
    await opened(rude);
    rude.terminate();
    await eventually(() => recorder.events.some((event) => event.startsWith('closed 1006')));
  });

  it('accepts a message of exactly the limit and closes with 1009 above it', async () => {
    const { wsUrl, recorder } = await socketServer();
    for (const excessBytes of [1, 32_768]) {
      recorder.binaryBytes = [];
      const client = new WebSocket(wsUrl);
      const close = closeOf(client);
      await opened(client);
      client.send(Buffer.alloc(MAX_BYTES));
      await eventually(() => recorder.binaryBytes.length === 1);
      client.send(Buffer.alloc(MAX_BYTES + excessBytes));
      expect(await close).toEqual([1009, `Message exceeds ${MAX_BYTES} bytes`]);
      expect(recorder.binaryBytes).toEqual([MAX_BYTES]);
    }
    const fragments = new WebSocket(wsUrl);
    const close = closeOf(fragments);
    await opened(fragments);
    fragments.send(Buffer.alloc(MAX_BYTES), { fin: false });
    fragments.send(Buffer.alloc(1), { fin: true });
    expect((await close)[0]).toBe(1009);
  });

  it('buffers nothing of a message that is far too long', async () => {
    const { wsUrl, server } = await socketServer();
    const client = new WebSocket(wsUrl);
    const close = closeOf(client);
    await opened(client);
    client.send(Buffer.alloc(17 * MAX_BYTES));
    // uWebSockets.js hangs up without a close frame.
    expect((await close)[0]).toBe(server.library === 'uws' ? 1006 : 1009);
  });

  it('closes with 1011 when its handler throws, without affecting others', async () => {
    const { wsUrl, failures } = await socketServer();
    const [bad, good] = [new WebSocket(wsUrl), new WebSocket(wsUrl)];
    const close = closeOf(bad);
    await Promise.all([opened(bad), opened(good)]);
    bad.send('throw');
    expect(await close).toEqual([1011, 'Internal error']);
    expect(failures.map(({ error }) => error)).toEqual([new Error('handler')]);
    expect(good.readyState).toBe(WebSocket.OPEN);
    good.close();
  });

  it('truncates a close reason to what a close frame holds, at a whole character', async () => {
    const { wsUrl, recorder } = await socketServer();
    const client = new WebSocket(wsUrl);
    const close = closeOf(client);
    await opened(client);
    recorder.socket?.close(4000, `x${'é'.repeat(200)}`);
    expect(await close).toEqual([4000, `x${'é'.repeat(61)}`]);
  });

  it('reports the unread bytes of a slow reader, refuses more than its buffer, and reports when it is drained', async () => {
    const { wsUrl, recorder } = await socketServer();
    const client = new WebSocket(wsUrl);
    await opened(client);
    client.pause();
    const block = new Uint8Array(65_536);
    let sentBytes = 0;
    while (recorder.socket?.sendBinary(block)) {
      sentBytes += block.byteLength;
      expect(sentBytes).toBeLessThan(64 * 1_048_576);
      await new Promise(setImmediate);
    }
    expect(recorder.socket?.bufferedBytes()).toBeGreaterThan(3 * 1_048_576);
    expect(recorder.socket?.bufferedBytes()).toBeLessThan(5 * 1_048_576);
    client.resume();
    await eventually(() => recorder.socket?.bufferedBytes() === 0);
    expect(recorder.events).toContain('drained');
    client.close();
  });
});
