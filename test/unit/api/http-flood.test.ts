import { describe, expect, it, onTestFinished } from 'vitest';
import type { Socket, SocketHandler, SocketRoute } from '../../../src/api/http/socket/socket.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { eventually, RawClient, served } from './served.ts';

const HANDSHAKE = [
  'GET /ws HTTP/1.1',
  'Host: a',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
  '',
].join('\r\n');

/** Opcodes (RFC 6455, section 5.2). */
const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** Counts what reaches it, and finds fault with every text. */
class Counter implements SocketHandler {
  readonly accountId: string;
  handled = 0;
  outcome = '';
  #socket: Socket | null = null;

  constructor(accountId: string) {
    this.accountId = accountId;
  }

  opened(socket: Socket): void {
    this.#socket = socket;
  }

  text(): void {
    this.handled += 1;
    this.#socket?.faulted();
  }

  binary(): void {
    this.handled += 1;
  }

  pong(): void {}

  drained(): void {}

  closed(code: number, reason: string): void {
    this.outcome = `${code} ${reason}`;
  }
}

/** A frame of a client with a mask of zeros. */
function frame(opcode: number, payload = '', isLast = true): Buffer {
  return Buffer.concat([
    Buffer.from([(isLast ? 0x80 : 0) | opcode, 0x80 | payload.length, 0, 0, 0, 0]),
    Buffer.from(payload),
  ]);
}

function repeated(bytes: Buffer, count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => bytes));
}

/** A server whose time stands still, so that what a client sends at once is all it sends. */
async function site() {
  const handlers: Counter[] = [];
  const route: SocketRoute = {
    path: '/ws',
    maxMessageBytes: 1_000,
    pace: { most: 1_000, perSecond: 1_000 },
    accept: ({ query }) => {
      const handler = new Counter(query.get('account') ?? 'acc_1');
      handlers.push(handler);
      return handler;
    },
  };
  const { server, port } = await served([], { sockets: [route], clock: new ManualClock() });
  const open = async (account = 'acc_1') => {
    const client = new RawClient(port).write(HANDSHAKE.replace('/ws', `/ws?account=${account}`));
    await client.until(({ received }) => received.includes('\r\n\r\n'));
    return { client, handler: handlers.at(-1)! };
  };
  return { server, open };
}

/** Code and reason of the close frame that a client received. */
function closeFrame({ received }: RawClient): string {
  const bytes = Buffer.from(received, 'latin1');
  const at = bytes.lastIndexOf(0x80 | CLOSE);
  return `${bytes.readUInt16BE(at + 2)} ${bytes.subarray(at + 4, at + 2 + bytes[at + 1]!)}`;
}

describe('a client that sends more than any honest one', () => {
  it.each([
    ['pongs that nobody asked for', frame(PONG), 2_000, '1008 too many pongs', 'unasked_pong'],
    ['pings', frame(PING), 20_000, '1008 too many pings', 'ping'],
    ['empty frames', frame(BINARY), 20_000, '1008 too much audio at once', 'scrap'],
    ['frames of a byte', frame(BINARY, 'x'), 20_000, '1008 too much audio at once', 'scrap'],
    ['audio', frame(BINARY, 'x'.repeat(100)), 60_000, '1008 too much audio at once', 'binary'],
    [
      'messages that are answered with a fault',
      frame(TEXT, '{}'),
      3_000,
      '1008 too many invalid messages',
      'fault',
    ],
  ])('is closed for %s, and nothing more of it is handled', async (_, each, count, outcome, reason) => {
    const { server, open } = await site();
    const { client, handler } = await open();
    client.write(repeated(each, count));
    await eventually(() => handler.outcome !== '');
    expect(handler.outcome).toBe(outcome);
    expect([...server.socketClosings]).toEqual([[reason, 1]]);
    expect(handler.handled).toBeLessThanOrEqual(count * 0.7);
    const isTold = () => client.received.includes(outcome.slice(5));
    await client.until(({ isClosed }) => isClosed || isTold());
    // The ws package cuts whoever does not read the answers to its pings.
    if (isTold()) expect(closeFrame(client)).toBe(outcome);
    else expect([server.library, reason]).toEqual(['node', 'ping']);
  });

  it('is closed for a message that never ends, and may not come again at once', async () => {
    const { server, open } = await site();
    const { client, handler } = await open();
    const other = await open('acc_2');
    client.write(frame(TEXT, '', false));
    const empty = repeated(frame(CONTINUATION, '', false), 100_000);
    const timer = setInterval(() => client.socket.writableLength < 1e6 && client.write(empty), 5);
    onTestFinished(() => clearInterval(timer));
    await eventually(() => handler.outcome !== '');
    clearInterval(timer);
    // 1008, which each library writes in a close frame.
    await client.until(({ received }) => received.includes('\x03\xf0'));
    expect(closeFrame(client)).toMatch(server.library === 'uws' ? /^1008 too many empty frames/ : /^1008/);
    expect([...server.socketClosings]).toEqual(server.library === 'uws' ? [['unheard', 1]] : []);
    expect(other.handler.outcome).toBe('');
    await open('acc_2');
    if (server.library === 'node') return;
    const again = await open();
    expect(again.client.received).toContain('429');
  });

  it('does not affect another account, whose file of ten minutes is taken at once', async () => {
    const { open } = await site();
    const [greedy, other] = [await open(), await open('acc_2')];
    greedy.client.write(repeated(frame(PING), 20_000));
    await eventually(() => greedy.handler.outcome !== '');
    other.client.write(repeated(frame(BINARY, 'x'.repeat(100)), 30_000));
    await eventually(() => other.handler.handled === 30_000);
    expect(other.handler.outcome).toBe('');
  });
});
