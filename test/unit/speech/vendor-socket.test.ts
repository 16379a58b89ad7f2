import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReadingTime } from '../../../src/base/reading-time.ts';
import { faultKindOfStatus, type VendorEndpoint } from '../../../src/speech/vendor-connection.ts';
import { type KeepAlive, VendorSocket } from '../../../src/speech/vendor-socket.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ObservedSocket, RecordingClock } from './observed-socket.ts';
import { refuseWith, VendorServer } from './vendor-server.ts';

const KEY = 'sk_0123456789abcdef';

let clock: RecordingClock;
let server: VendorServer;
let observed: ObservedSocket;
let random = 0;
const sockets: VendorSocket[] = [];

function endpointAt(url: string): VendorEndpoint {
  return {
    url,
    headers: { Authorization: `Token ${KEY}` },
    key: KEY,
    faultOfRefusal: ({ status, body }) => ({ kind: faultKindOfStatus(status), words: body }),
    faultOfClose: (code, words) => ({ kind: code === 1008 ? 'refused' : 'unreachable', words }),
  };
}

function connect(keepAlive: KeepAlive | null = null, url = server.url): VendorSocket {
  const socket = new VendorSocket(
    endpointAt(url),
    { clock, random: () => random, reader: new ReadingTime(clock).of('acc_a') },
    observed,
    keepAlive,
  );
  sockets.push(socket);
  return socket;
}

/** Waits until the vendor has `count` connections, and we know. */
async function opened(count: number): Promise<void> {
  await waitFor(`${count} connections`, () => observed.openings === count);
}

async function losses(count: number): Promise<void> {
  await waitFor(`${count} losses`, () => observed.losses.length === count);
}

beforeEach(async () => {
  clock = new RecordingClock();
  observed = new ObservedSocket();
  random = 0;
  server = await VendorServer.start();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) void socket.close();
  if (server.isListening) await server.stop();
});

describe('VendorSocket: messages', () => {
  it('carries text and binary both ways, with its headers', async () => {
    const socket = connect();
    await opened(1);
    const received: string[] = [];
    server.sockets[0]!.on('message', (data, isBinary) => received.push(`${isBinary}:${data}`));
    socket.send('{"type":"Speak"}');
    socket.send(new Uint8Array([65, 66]));
    server.sockets[0]!.send('{"type":"Flushed"}');
    server.sockets[0]!.send(new Uint8Array([1, 2, 3]));
    await waitFor('all four', () => received.length === 2 && observed.binaries.length === 1);
    expect(received).toEqual(['false:{"type":"Speak"}', 'true:AB']);
    expect(observed.messages).toEqual([{ type: 'Flushed' }]);
    expect([...observed.binaries[0]!]).toEqual([1, 2, 3]);
    expect(server.requests[0]!.headers.authorization).toBe(`Token ${KEY}`);
  });

  it.each(['no JSON', '[1]', '"text"', 'null'])('gives up a connection that sends %s', async (text) => {
    connect();
    await opened(1);
    server.sockets[0]!.send(text);
    await losses(1);
    expect(observed.losses[0]).toMatchObject({ kind: 'unreachable', words: expect.stringContaining('JSON') });
    expect(observed.messages).toEqual([]);
  });

  it('gives up a connection that does not read', async () => {
    const socket = connect();
    await opened(1);
    server.sockets[0]!.pause();
    const megabyte = new Uint8Array(1 << 20);
    for (let sent = 0; sent < 64 && observed.losses.length === 0; sent++) socket.send(megabyte);
    await losses(1);
    expect(observed.losses[0]!.words).toContain('does not read');
  });

  it('sends a keep-alive when nothing else was sent', async () => {
    const received: string[] = [];
    const socket = connect({ afterMs: 4_000, message: () => 'alive' });
    await opened(1);
    server.sockets[0]!.on('message', (data) => received.push(`${data}`));
    clock.advance(3_999);
    socket.send('text');
    clock.advance(3_999);
    await waitFor('the text', () => received.length === 1);
    clock.advance(4_001);
    await waitFor('two keep-alives', () => received.length === 3);
    expect(received).toEqual(['text', 'alive', 'alive']);
  });
});

describe('VendorSocket: faults', () => {
  it('connects again after 0.5 to 8 s, longer after each failure', async () => {
    await server.stop();
    for (random of [0, 0.999_999]) {
      observed = new ObservedSocket();
      const waits: number[] = [];
      const socket = connect();
      for (let failure = 1; failure <= 6; failure++) {
        await losses(failure);
        waits.push(Math.round(clock.lastDelayMs));
        clock.advance(clock.lastDelayMs);
      }
      void socket.close();
      expect(waits).toEqual(
        random === 0 ? [500, 500, 500, 500, 500, 500] : [1_000, 2_000, 4_000, 8_000, 8_000, 8_000],
      );
      expect(observed.losses[0]).toEqual({
        kind: 'unreachable',
        words: 'The connection failed: ECONNREFUSED',
      });
      expect(observed.failures).toEqual([]);
    }
  });

  it('says that a connection is not the first one', async () => {
    connect();
    await opened(1);
    server.sockets[0]!.terminate();
    await losses(1);
    clock.advance(500);
    await opened(2);
    expect(observed.openings).toBe(2);
  });

  it.each([
    [400, 'refused'],
    [401, 'bad_key'],
    [402, 'out_of_funds'],
    [403, 'bad_key'],
    [404, 'refused'],
  ])('tries no second time after %i', async (status, kind) => {
    server.answer = refuseWith(status, `no: ${KEY}\n`);
    connect();
    await waitFor('the failure', () => observed.failures.length === 1);
    expect(observed.failures).toEqual([{ kind, words: 'no: [key]' }]);
    clock.advance(60_000);
    expect(observed.losses).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [429, 'rate_limited'],
    [500, 'unreachable'],
    [503, 'unreachable'],
  ])('tries again after %i', async (status, kind) => {
    server.answer = refuseWith(status, 'later');
    connect();
    await losses(1);
    expect(observed.losses).toEqual([{ kind, words: 'later' }]);
    server.answer = null;
    clock.advance(500);
    await opened(1);
    expect(observed.openings).toBe(1);
  });

  it('tries no second time after a fault that the vendor calls permanent', async () => {
    const socket = connect();
    await opened(1);
    socket.drop({ kind: 'out_of_funds', words: `${KEY} is empty` });
    expect(observed.failures).toEqual([{ kind: 'out_of_funds', words: '[key] is empty' }]);
    clock.advance(60_000);
    expect(observed.openings).toBe(1);
  });

  it('tries again after a fault in a message that may pass', async () => {
    const socket = connect();
    await opened(1);
    socket.drop({ kind: 'session_cap', words: 'one hour' });
    expect(observed.losses).toEqual([{ kind: 'session_cap', words: 'one hour' }]);
    clock.advance(500);
    await opened(2);
    await waitFor('the end of the first', () => server.openSockets === 1);
  });

  it('fails when three connections in a row end within 5 s', async () => {
    connect();
    for (let count = 1; count <= 3; count++) {
      await opened(count);
      server.sockets.at(-1)!.close(1011, 'NET-0001');
      await waitFor('the end', () => observed.losses.length + observed.failures.length === count);
      clock.advance(count < 3 ? clock.lastDelayMs : 60_000);
    }
    expect(observed.losses).toHaveLength(2);
    expect(observed.failures).toEqual([{ kind: 'unreachable', words: 'NET-0001' }]);
    expect(observed.openings).toBe(3);
  });

  it('goes on when connections end later', async () => {
    connect();
    for (let count = 1; count <= 5; count++) {
      await opened(count);
      clock.advance(5_000);
      server.sockets.at(-1)!.terminate();
      await losses(count);
      expect(clock.lastDelayMs).toBe(500);
      clock.advance(500);
    }
    expect(observed.failures).toEqual([]);
  });

  it('gives up a connection that is not answered within 5 s', async () => {
    server.answer = () => {};
    connect();
    await waitFor('the request', () => server.requests.length === 1);
    clock.advance(4_999);
    expect(observed.losses).toEqual([]);
    clock.advance(1);
    expect(observed.losses).toEqual([
      { kind: 'unreachable', words: 'The connection failed: it does not answer' },
    ]);
  });

  it('gives up a connection that no longer answers pings', async () => {
    connect();
    await opened(1);
    const pings: Buffer[] = [];
    server.sockets[0]!.on('ping', (data) => pings.push(data));
    clock.advance(10_000);
    await waitFor('the ping', () => pings.length === 1);
    server.sockets[0]!.send('{"type":"alive"}');
    await waitFor('a sign of life', () => observed.messages.length === 1);
    clock.advance(10_000);
    expect(observed.losses).toEqual([]);
    server.sockets[0]!.pause();
    clock.advance(10_000);
    expect(observed.losses).toEqual([
      { kind: 'unreachable', words: 'The connection failed: it no longer answers' },
    ]);
  });
});

describe('VendorSocket: the end', () => {
  it('sends the last message, hears what the vendor still says, and ends with it', async () => {
    const socket = connect();
    await opened(1);
    server.sockets[0]!.on('message', (data) => {
      server.sockets[0]!.send(`{"last":"${data}"}`);
      server.sockets[0]!.close(1000);
    });
    await socket.close('bye');
    expect(observed.messages).toEqual([{ last: 'bye' }]);
    expect([...observed.losses, ...observed.failures]).toEqual([]);
  });

  it('closes within 2 s when the vendor does not', async () => {
    const socket = connect();
    await opened(1);
    server.sockets[0]!.pause();
    let isClosed = false;
    void socket.close('bye').then(() => {
      isClosed = true;
    });
    clock.advance(2_000);
    await waitFor('the end', () => isClosed);
    expect([...observed.losses, ...observed.failures]).toEqual([]);
  });

  it('need not wait for a vendor that has said everything', async () => {
    const socket = connect();
    await opened(1);
    const closed = socket.close('bye');
    socket.finish();
    await closed;
    await waitFor('the end', () => server.openSockets === 0);
  });

  it('closes at once while it connects or waits to connect again', async () => {
    server.answer = () => {};
    const connecting = connect();
    await waitFor('the request', () => server.requests.length === 1);
    await connecting.close('bye');
    server.answer = refuseWith(503, '');
    const waiting = connect();
    await losses(1);
    await waiting.close('bye');
    clock.advance(60_000);
    expect(server.requests).toHaveLength(2);
    expect(observed.failures).toEqual([]);
  });
});
