import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { NodeSockets } from '../../../src/api/http/node/node-sockets.ts';
import type { Handshake, ServerHandlers } from '../../../src/api/http/server-library.ts';

const PATH = '/ws';

/** A connection that keeps what is written to it. */
class Wire extends Duplex {
  text = '';

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('latin1');
    done();
  }

  setTimeout(): void {}
  setNoDelay(): void {}
}

function handshakeRequest(): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  request.headers = {
    upgrade: 'websocket',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
  };
  return request;
}

it('an upgrade whose client has gone leaves nothing behind', () => {
  const handlers = {
    socketPaths: [{ path: PATH, maxReceivedBytes: 100 }],
    opened: () => {},
    closed: () => {},
  };
  const sockets = new NodeSockets(handlers as unknown as ServerHandlers);
  onTestFinished(() => sockets.close());
  const upgrade = (wire: Wire, requestId: string) =>
    sockets.upgrade(PATH, { request: handshakeRequest(), stream: wire, head: Buffer.alloc(0) }, {
      socket: {},
      requestId,
    } as unknown as Handshake);
  for (let n = 0; n < 12; n++) {
    const gone = new Wire();
    gone.destroy();
    upgrade(gone, `req_gone_${n}`);
  }
  const wire = new Wire();
  onTestFinished(() => void wire.destroy());
  upgrade(wire, 'req_here');
  expect(wire.text.match(/X-Request-Id: \w+/g)).toEqual(['X-Request-Id: req_here']);
});
