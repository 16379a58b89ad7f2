import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import { ModelAnswer, type StreamedEvent } from '../../../../src/models/http/model-answer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { faultOf, NEVER } from '../turn-parts.ts';

let server: Server;
let chunks: readonly Uint8Array[];
/** The server breaks the connection after the chunks. */
let isCut = false;

beforeAll(async () => {
  server = createServer(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of chunks) {
      response.write(chunk);
      await new Promise(setImmediate);
    }
    if (isCut) response.socket?.destroySoon();
    else response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function eventsOf(...sent: readonly (string | Uint8Array)[]): Promise<StreamedEvent[]> {
  chunks = sent.map((chunk) => Buffer.from(chunk));
  const asked = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const events: StreamedEvent[] = [];
  // Time stands still, so nothing takes any.
  const clock = new ManualClock();
  const reader = new ReadingTime(clock).of('account');
  const reading = { clock, reader, idleMs: 10_000, signal: NEVER };
  for await (const event of new ModelAnswer(answer, reading).events()) events.push(event);
  return events;
}

const STREAM =
  'event: one\ndata: {"text":"Grüße 👋"}\n\n: a comment\n\ndata: {"a":\ndata: 1}\r\n\r\ndata: [DONE]\n\n';
const EVENTS = [
  { name: 'one', data: { text: 'Grüße 👋' } },
  { name: '', data: { a: 1 } },
  { name: '', data: '[DONE]' },
];

describe('events of a stream', () => {
  it('are the same in any chunks', async () => {
    const bytes = Buffer.from(STREAM);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const ends = [...cuts.toSorted((one, other) => one - other), bytes.length];
        const parts = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
        expect(await eventsOf(...parts)).toEqual(EVENTS);
      }),
      { numRuns: 60, seed: 23 },
    );
  });

  it('need no empty line after the last one', async () => {
    expect(await eventsOf('data: {"a":1}\n\ndata: {"b":2}')).toEqual([
      { name: '', data: { a: 1 } },
      { name: '', data: { b: 2 } },
    ]);
  });

  it('may be followed by a fault as plain JSON', async () => {
    expect((await eventsOf('data: {"a":1}\n\n', '{"error":{"code":1}}')).at(-1)?.data).toEqual({
      error: { code: 1 },
    });
  });

  it('end with a fault when the connection breaks', async () => {
    isCut = true;
    try {
      expect(await faultOf(eventsOf('data: {"a":1}\n\n'))).toMatchObject({ kind: 'cut', isDoubtful: true });
    } finally {
      isCut = false;
    }
  });

  it.each([
    ['one line', `data: ${'x'.repeat(65_536)}`, 17, 'the stream cannot be read'],
    ['many lines', `data: ${'x'.repeat(65_536)}\n`, 17, 'the stream cannot be read'],
    ['one-letter lines', 'data:1\n'.repeat(8_192), 80, 'the stream cannot be read'],
    ['comments', `:${' '.repeat(65_535)}\n`, 129, 'the answer is too long'],
  ])('are limited in length: %s', async (_what, chunk, count, words) => {
    const endless = Array.from({ length: count }, () => chunk);
    expect(await faultOf(eventsOf(...endless))).toMatchObject({ kind: 'cut', message: words });
  });

  it('are limited in number', async () => {
    const endless = Array.from({ length: 20 }, () => 'data:1\n\n'.repeat(4_000));
    const fault = await faultOf(eventsOf(...endless));
    expect(fault).toMatchObject({ kind: 'cut', message: 'the answer has too many events' });
  });
});
