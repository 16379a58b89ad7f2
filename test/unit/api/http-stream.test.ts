import { describe, expect, it } from 'vitest';
import { replyStream } from '../../../src/api/http/answer/reply.ts';
import { type Route, type RouteRequest, route } from '../../../src/api/http/routing/route.ts';
import { eventually, RawClient, served } from './served.ts';

type Source = (request: RouteRequest) => AsyncIterable<Uint8Array | string>;

function stream(source: Source, lengthBytes?: number): Route {
  return route({
    method: 'get',
    path: '/s',
    access: 'public',
    operationId: 's',
    summary: 's',
    tags: [],
    responses: { 200: { description: 's', contentType: 'text/plain' } },
    handler: (request) =>
      replyStream(200, 'text/plain', source(request), lengthBytes === undefined ? {} : { lengthBytes }),
  });
}

async function* pieces(...texts: string[]) {
  yield* texts;
}

const GET = 'GET /s HTTP/1.1\r\nHost: a\r\n\r\n';

describe('streamed answers', () => {
  it('arrive in full, chunked when their length is unknown', async () => {
    const { url } = await served([stream(() => pieces('a', '', 'bé', 'c'.repeat(300_000)))]);
    const answer = await fetch(`${url}/s`);
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    expect(await answer.text()).toBe(`abé${'c'.repeat(300_000)}`);
  });

  it('announce their length when it is known', async () => {
    const { url } = await served([stream(() => pieces('a', 'bb', 'c'.repeat(2_000_000)), 2_000_003)]);
    const answer = await fetch(`${url}/s`);
    expect(answer.headers.get('content-length')).toBe('2000003');
    expect(await answer.text()).toBe(`abb${'c'.repeat(2_000_000)}`);
    const head = await fetch(`${url}/s`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '2000003']);
  });

  it('may be empty', async () => {
    const { url } = await served([stream(() => pieces())]);
    expect(await (await fetch(`${url}/s`)).text()).toBe('');
    const sized = await served([stream(() => pieces(), 0)]);
    expect(await (await fetch(`${sized.url}/s`)).text()).toBe('');
  });

  for (const lengthBytes of [undefined, 64 * 1_048_576]) {
    it(`stop for a reader that stops (${lengthBytes === undefined ? 'chunked' : 'sized'})`, async () => {
      const chunk = new Uint8Array(65_536).fill(0x61);
      let madeChunks = 0;
      const { port } = await served([
        stream(async function* () {
          for (; madeChunks < 1024; madeChunks++) yield chunk;
        }, lengthBytes),
      ]);
      const client = new RawClient(port).write(GET);
      client.socket.pause();
      await eventually(() => madeChunks > 0);
      let before = -1;
      while (before !== madeChunks) {
        before = madeChunks;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      // What the kernel buffers on both sides, not the 64 MB of the whole answer.
      expect(madeChunks * chunk.byteLength).toBeLessThan(24 * 1_048_576);
      let receivedBytes = 0;
      client.socket.removeAllListeners('data');
      client.socket.on('data', (data) => {
        receivedBytes += data.byteLength;
      });
      client.socket.resume();
      await eventually(() => receivedBytes >= 64 * 1_048_576);
    });
  }

  it('close their source when the client goes away', async () => {
    let isClosed = false;
    let isAborted = false;
    const { port, failures } = await served([
      stream(async function* ({ signal }) {
        signal.addEventListener('abort', () => {
          isAborted = true;
        });
        try {
          while (true) {
            yield 'x';
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
        } finally {
          isClosed = true;
        }
      }),
    ]);
    const client = new RawClient(port).write(GET);
    await client.until(({ received }) => received.includes('x\r\n'));
    client.socket.destroy();
    await eventually(() => isClosed && isAborted);
    expect(failures).toEqual([]);
  });

  it('close their source when the client goes away while the buffer is full', async () => {
    let isClosed = false;
    const { port } = await served([
      stream(async function* () {
        try {
          while (true) yield new Uint8Array(1_048_576);
        } finally {
          isClosed = true;
        }
      }),
    ]);
    const client = new RawClient(port).write(GET);
    await client.until(({ received }) => received.length > 0);
    client.socket.pause();
    client.socket.destroy();
    await eventually(() => isClosed);
  });

  it('return 500 when the source fails at once, and break off when it fails later', async () => {
    const { url, port, failures } = await served([
      stream(async function* () {
        if (failures.length > 0) {
          yield 'begun';
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        throw new Error('source');
      }),
    ]);
    expect((await fetch(`${url}/s`)).status).toBe(500);
    const raw = await new RawClient(port).write(GET).closed();
    expect(raw).toMatch(/200 OK[\s\S]*begun/);
    expect(raw.endsWith('0\r\n\r\n')).toBe(false);
    expect(failures.map(({ error }) => error)).toEqual([new Error('source'), new Error('source')]);
  });

  it('break off when their length differs from the announced one', async () => {
    const long = await served([stream(() => pieces('1234', '5678'), 6)]);
    await new RawClient(long.port).write(GET).closed();
    const short = await served([stream(() => pieces('1234'), 6)]);
    await new RawClient(short.port).write(GET).closed();
    expect([long.failures.length, short.failures.length]).toEqual([1, 1]);
  });
});

describe('aborts', () => {
  it('reach a waiting handler, whose late answer is discarded', async () => {
    let isAborted = false;
    let isAnswered = false;
    const slow = route({
      method: 'get',
      path: '/s',
      access: 'public',
      operationId: 's',
      summary: 's',
      tags: [],
      responses: { 200: { description: 's', contentType: 'text/plain' } },
      handler: async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        isAborted = signal.aborted;
        setImmediate(() => {
          isAnswered = true;
        });
        return { kind: 'bytes' as const, status: 200 as const, contentType: 'text/plain', body: 'late' };
      },
    });
    const { port, failures } = await served([slow]);
    const client = new RawClient(port).write(GET);
    await new Promise((resolve) => client.socket.once('ready', resolve));
    await new Promise((resolve) => setTimeout(resolve, 20));
    client.socket.destroy();
    await eventually(() => isAnswered);
    expect([isAborted, failures]).toEqual([true, []]);
  });
});
