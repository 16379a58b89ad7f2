import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import { type Pausable, SocketReading } from '../../../../src/base/socket-reading.ts';
import { PlatformSocket } from '../../../../src/connectors/kit/platform-socket.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';

/** More than the network keeps of it. */
const MESSAGES = 200;
const MESSAGE = 'x'.repeat(65_536);

/** The next iteration of the event loop. */
const turn = () => new Promise(setImmediate);

let clock: ManualClock;
let server: WebSocketServer;
let socket: PlatformSocket;
let platform: WebSocket;
let taken: number;

beforeEach(async () => {
  clock = new ManualClock();
  taken = 0;
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const connected = once(server, 'connection');
  socket = new PlatformSocket({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    platform: 'The server',
    maxFrameBytes: 1_048_576,
    clock,
    reader: new ReadingTime(clock).of('server'),
    opened: () => socket.setTimer(3_600_000, () => {}),
    take: () => {
      taken += 1;
      // So long does each message take.
      clock.leap(10);
    },
  });
  [platform] = (await connected) as [WebSocket];
});

afterEach(() => {
  socket.close('enough');
  for (const client of server.clients) client.terminate();
  server.close();
});

it('is not read while the account rests, and loses nothing', async () => {
  for (let n = 0; n < MESSAGES; n++) platform.send(MESSAGE);
  await waitFor('the allowance to be used up', () => taken >= 3);
  for (let n = 0; n < 200; n++) await turn();
  expect(platform.bufferedAmount).toBeGreaterThan(0);
  expect(taken).toBeLessThan(MESSAGES / 2);
  while (taken < MESSAGES) {
    clock.advance(1_000);
    await turn();
  }
});

it('ends while the account rests', async () => {
  for (let n = 0; n < 10; n++) platform.send(MESSAGE);
  await waitFor('the allowance to be used up', () => taken >= 3);
  socket.close('enough');
  expect(await socket.ended).toBe('enough');
});

it('is not read while pings alone have used up the account’s time', async () => {
  const reader = new ReadingTime(clock).of('pinging');
  const reading = new SocketReading(reader, new Unread(), new AbortController().signal, () => {});
  const unread = new Unread();
  const watched = new SocketReading(reader, unread, new AbortController().signal, () => {});
  for (let n = 0; n < 2_000; n++) reading.control();
  expect(unread.isPaused).toBe(false);
  for (let n = 0; n < 1_000; n++) watched.control();
  expect(unread.isPaused).toBe(true);
  for (let n = 0; n < 20; n++) {
    clock.advance(100);
    await turn();
  }
  expect(unread.isPaused).toBe(false);
});

/** A socket that knows only whether it is read. */
class Unread implements Pausable {
  isPaused = false;

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }
}
