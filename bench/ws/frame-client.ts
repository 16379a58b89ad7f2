/**
 * Connections that each have one 640-byte frame on its way, with plain TCP sockets and frames made beforehand, so that
 * the server is what works. `node frame-client.ts PORT CONNECTIONS SECONDS` prints how many frames came back.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** 20 ms of PCM at 16 kHz. */
const PAYLOAD = Buffer.from(Array.from({ length: 640 }, (_, i) => (i * 7) & 0xff));
/** Any but zeros, which ws need not take off. */
const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);

/** RFC 6455, section 5.2: final binary frame, 16-bit length. */
const HEAD = Buffer.from([0x82, 126, PAYLOAD.length >> 8, PAYLOAD.length & 0xff]);
const ECHO = Buffer.concat([HEAD, PAYLOAD]);
const SENT = Buffer.concat([
  Buffer.from([HEAD[0]!, HEAD[1]! | 0x80, HEAD[2]!, HEAD[3]!]),
  MASK,
  PAYLOAD.map((byte, i) => byte ^ MASK[i % 4]!),
]);

const [port, connections, seconds] = process.argv.slice(2).map(Number) as [number, number, number];
let frames = 0;

async function open(): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  const key = 'dGhlIHNhbXBsZSBub25jZQ==';
  const lines = ['GET /stream HTTP/1.1', 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket'];
  socket.write([...lines, 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${key}`, '', ''].join('\r\n'));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101 ')) throw new Error(answer.toString('latin1'));
  return socket;
}

/** Looks at every frame's length and at the first frame's bytes. */
function exchange(socket: Socket): void {
  let waiting = Buffer.alloc(0);
  let isFirst = true;
  socket.on('data', (bytes) => {
    waiting = waiting.length === 0 ? bytes : Buffer.concat([waiting, bytes]);
    if (waiting.length < ECHO.length) return;
    if (waiting.length > ECHO.length || (isFirst && !waiting.equals(ECHO))) throw new Error('not an echo');
    isFirst = false;
    waiting = Buffer.alloc(0);
    frames += 1;
    socket.write(SENT);
  });
  socket.write(SENT);
}

const sockets: Socket[] = [];
for (let i = 0; i < connections; i++) sockets.push(await open());
const startMs = performance.now();
sockets.forEach(exchange);
await pause(seconds * 1_000);
console.log(JSON.stringify({ frames, seconds: (performance.now() - startMs) / 1_000 }));
process.exit();
