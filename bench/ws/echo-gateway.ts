/**
 * The gateway's own WebSocket server with a handler that sends every binary message back: the way of a frame of the call
 * stream from and to the socket, without the call. `node echo-gateway.ts PORT [uws|node]`
 */
import { HttpServer } from '../../src/api/http/server.ts';
import type { Socket, SocketHandler } from '../../src/api/http/socket/socket.ts';

const MAX_MESSAGE_BYTES = 1_048_576;
/** More than any client sends, so that the way of a frame is measured and not its limit. */
const PACE = { most: 200_000, perSecond: 1e9 };

let accounts = 0;

class Echo implements SocketHandler {
  readonly accountId = `acc_${accounts++}`;
  #socket: Socket | null = null;

  opened(socket: Socket): void {
    this.#socket = socket;
  }

  binary(bytes: ArrayBuffer): void {
    this.#socket?.sendBinary(new Uint8Array(bytes));
  }

  text(): void {}
  pong(): void {}
  drained(): void {}
  closed(): void {}
}

const server = new HttpServer({
  routes: [],
  sockets: [{ path: '/stream', maxMessageBytes: MAX_MESSAGE_BYTES, pace: PACE, accept: () => new Echo() }],
  authenticate: () => null,
  onError: (error) => console.error(error),
  library: process.argv[3] === 'node' ? 'node' : 'uws',
});
await server.listen('127.0.0.1', Number(process.argv[2]));
