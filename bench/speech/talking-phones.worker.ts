import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { FRAME_MS } from '../../src/base/frame.ts';
import { rtpPacket } from '../../test/support/packet-stream.ts';
import type { PhonesOrder } from './talking-phones.ts';

const HOST = '127.0.0.1';
/** Voices that are not all at the same word. */
const APART = 7;

interface Phone {
  readonly socket: Socket;
  readonly to: { readonly host: string; readonly port: number };
  readonly index: number;
  sent: number;
}

const frames = workerData as readonly Uint8Array[];
const sockets: Socket[] = [];
/** Of the phones that were opened last. */
let first = 0;
let phones: Phone[] = [];

async function open(count: number): Promise<void> {
  phones = [];
  first = sockets.length;
  for (let i = 0; i < count; i++) {
    const socket = createSocket('udp4').bind(0, HOST);
    await once(socket, 'listening');
    sockets.push(socket);
  }
  parentPort!.postMessage(sockets.slice(first).map((socket) => socket.address().port));
}

function tick(): void {
  for (const phone of phones) {
    const payload = frames[(phone.sent + APART * phone.index) % frames.length]!;
    const timestamp = phone.sent * payload.length;
    const header = { payloadType: 0, sequence: phone.sent & 0xffff, timestamp, ssrc: 1 + phone.index };
    phone.socket.send(rtpPacket(header, [...payload]), phone.to.port, phone.to.host);
    phone.sent++;
  }
}

const begunMs = performance.now();
let ticks = 0;

/** No tick is left out, however late. */
function next(): void {
  tick();
  ticks++;
  setTimeout(next, Math.max(0, begunMs + ticks * FRAME_MS - performance.now()));
}

parentPort!.on('message', (order: PhonesOrder) => {
  if ('open' in order) return void open(order.open);
  const { phone: index, host, port } = order;
  const socket = sockets[index];
  if (socket !== undefined && index >= first) phones.push({ socket, to: { host, port }, index, sent: 0 });
});
next();
