import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { Datagram, PacketPath } from '../../../src/rtp/paths/packet-path.ts';
import { closing } from './leg-pair.ts';
import { freePortPair, io, until } from './rtp-peer.ts';

const V4 = '127.0.0.1';

interface Seen {
  readonly text: string;
  readonly address: string;
  readonly port: number;
  readonly agoMs: number;
}

interface Heard {
  readonly rtp: Seen[];
  readonly rtcp: Seen[];
  readonly bugs: unknown[];
}

function seen({ bytes, start, end, from, arrivalMs }: Datagram): Seen {
  const text = Buffer.from(bytes.subarray(start, end)).toString();
  return { text, address: from.address, port: from.port, agoMs: performance.now() - arrivalMs };
}

function listen(sockets: PacketPath): Heard {
  const heard: Heard = { rtp: [], rtcp: [], bugs: [] };
  sockets.listen({
    onRtp: (datagram) => {
      const packet = seen(datagram);
      if (packet.text === 'bug') throw new Error('a bug');
      heard.rtp.push(packet);
    },
    onRtcp: (datagram) => heard.rtcp.push(seen(datagram)),
    onBug: (error) => heard.bugs.push(error),
  });
  return heard;
}

async function opened(
  host = V4,
): Promise<{ readonly sockets: PacketPath; readonly port: number; readonly heard: Heard }> {
  const port = await freePortPair();
  const sockets = closing(await io.open({ bindHost: host, rtpPort: port, bound: null }));
  return { sockets, port, heard: listen(sockets) };
}

async function stranger(host = V4): Promise<{ readonly socket: Socket; readonly port: number }> {
  const socket = closing(createSocket(host.includes(':') ? 'udp6' : 'udp4'));
  socket.bind(0, host);
  await once(socket, 'listening');
  return { socket, port: socket.address().port };
}

function tell(socket: Socket, text: string, port: number, host = V4): Promise<void> {
  return new Promise((resolve) => socket.send(text, port, host, () => resolve()));
}

test('a port in use is refused with the system’s error code, and its neighbour is released', async () => {
  const rtpPort = await freePortPair();
  const taken = closing(createSocket('udp4'));
  taken.bind(rtpPort + 1, V4);
  await once(taken, 'listening');
  const refusal = { code: 'EADDRINUSE', syscall: 'bind', address: V4, port: rtpPort + 1 };
  await expect(io.open({ bindHost: V4, rtpPort, bound: null })).rejects.toMatchObject(refusal);
  const neighbour = closing(createSocket('udp4'));
  neighbour.bind(rtpPort, V4);
  await once(neighbour, 'listening');
});

test('an address that is not local is refused', async () => {
  const rtpPort = await freePortPair();
  const refusal = { code: 'EADDRNOTAVAIL', syscall: 'bind' };
  await expect(io.open({ bindHost: '192.0.2.1', rtpPort, bound: null })).rejects.toMatchObject(refusal);
});

test.each([V4, '::1'])('packets are received and sent with the right addresses, over %s', async (host) => {
  const { sockets, port, heard } = await opened(host);
  const [one, two] = [await stranger(host), await stranger(host)];
  await tell(one.socket, 'first', port, host);
  await tell(two.socket, 'second', port, host);
  await tell(one.socket, 'report', port + 1, host);
  await until(() => heard.rtp.length === 2 && heard.rtcp.length === 1, 'three packets');
  expect(heard.rtp).toMatchObject([
    { text: 'first', address: host, port: one.port },
    { text: 'second', address: host, port: two.port },
  ]);
  expect(heard.rtcp).toMatchObject([{ text: 'report', address: host, port: one.port }]);

  const answers: string[] = [];
  for (const [name, { socket }] of Object.entries({ one, two })) {
    socket.on('message', (bytes, from) => answers.push(`${name} ${bytes} ${from.port - port}`));
  }
  const bytes = Buffer.from('answer and what is behind it');
  sockets.sendRtp(bytes, 6, one.port, host);
  // The buffer may be reused at once.
  bytes.fill('x');
  sockets.sendRtp(Buffer.from('other'), 5, two.port, host);
  sockets.sendRtcp(Buffer.from('report'), 6, one.port, host);
  await until(() => answers.length === 3, 'three answers');
  expect(answers.sort()).toEqual(['one answer 0', 'one report 1', 'two other 0']);
  expect(sockets.unsent).toBe(0);
});

/** Enough to make a connected socket worth it (PACKETS_TO_LINE of udp-sockets.c). */
const LONG = 60;

async function stream(sockets: PacketPath, peer: { readonly socket: Socket; readonly port: number }) {
  let received = 0;
  const count = () => received++;
  peer.socket.on('message', count);
  for (let i = 0; i < LONG; i++) sockets.sendRtp(Buffer.from('voice'), 5, peer.port, V4);
  await until(() => received >= LONG, 'a stream');
  peer.socket.off('message', count);
}

/** The peers that the sockets on `port` are connected to, as reported by the kernel. */
function connectedPorts(port: number): number[] {
  const rows = readFileSync('/proc/net/udp', 'latin1').matchAll(/: \w+:(\w+) \w+:(\w+) /g);
  const hex = (text = '') => Number.parseInt(text, 16);
  return [...rows].filter(([, local]) => hex(local) === port).map(([, , remote]) => hex(remote));
}

test('a leg receives from its main peer and from others, also after it switches to another peer', async () => {
  const { sockets, port, heard } = await opened();
  const [one, two] = [await stranger(), await stranger()];
  for (const [i, peer] of [one, two, one].entries()) {
    await stream(sockets, peer);
    if (io.kind === 'native') expect(connectedPorts(port).sort()).toEqual([0, peer.port]);
    await tell(one.socket, `one ${i}`, port);
    await tell(two.socket, `two ${i}`, port);
    await until(() => heard.rtp.length === 2 * (i + 1), 'a packet of each');
  }
  const from = (name: string) =>
    heard.rtp.filter(({ text }) => text.startsWith(name)).map((packet) => packet.port);
  expect(from('one')).toEqual(Array(3).fill(one.port));
  expect(from('two')).toEqual(Array(3).fill(two.port));
  const refusal = { code: 'EADDRINUSE' };
  await expect(io.open({ bindHost: V4, rtpPort: port, bound: null })).rejects.toMatchObject(refusal);
  const rude = closing(createSocket({ type: 'udp4', reuseAddr: true }));
  rude.bind(port, V4);
  expect((await once(rude, 'error'))[0]).toMatchObject(refusal);
  sockets.close();
  closing(await io.open({ bindHost: V4, rtpPort: port, bound: null }));
});

test('a peer that was gone for a moment is received and sent to again', async () => {
  const { sockets, port, heard } = await opened();
  const gone = createSocket('udp4').bind(0, V4);
  await once(gone, 'listening');
  const peer = gone.address().port;
  await stream(sockets, { socket: gone, port: peer });
  gone.close();
  for (let i = 0; i < LONG; i++) sockets.sendRtp(Buffer.from('voice'), 5, peer, V4);
  io.send();
  const back = closing(createSocket('udp4')).bind(peer, V4);
  await once(back, 'listening');
  await stream(sockets, { socket: back, port: peer });
  await tell(back, 'back', port);
  await until(() => heard.rtp.length === 1, 'the peer');
  expect(sockets.unsent).toBe(0);
});

test('packets queued before a close are still sent', async () => {
  const { sockets } = await opened();
  const peer = await stranger();
  const goodbyes: string[] = [];
  peer.socket.on('message', (bytes) => goodbyes.push(`${bytes}`));
  sockets.sendRtp(Buffer.from('goodbye'), 7, peer.port, V4);
  sockets.close();
  sockets.close();
  await until(() => goodbyes.length === 1, 'the goodbye');
});

test('a burst arrives whole, in order, and a bug in a listener is reported', async () => {
  const { port, heard } = await opened();
  const { socket } = await stranger();
  const texts = Array.from({ length: 40 }, (_, i) => `packet ${i}`);
  for (const text of texts) await tell(socket, text, port);
  await tell(socket, 'bug', port);
  await until(() => heard.bugs.length === 1, 'the bug');
  expect(heard.rtp.map(({ text }) => text)).toEqual(texts);
});

test.runIf(io.kind === 'native')(
  'the arrival time is when the kernel received the packet, not when it was read',
  async () => {
    const { port, heard } = await opened();
    const { socket } = await stranger();
    await tell(socket, 'early', port);
    const sentAt = performance.now();
    const nothing = () => new Promise<void>((resume) => setImmediate(resume));
    await until(() => performance.now() - sentAt > 60, 'some time', nothing);
    io.receive();
    expect(heard.rtp[0]?.agoMs).toBeGreaterThan(50);
  },
);

test.runIf(io.kind === 'native')('packets that the kernel dropped for lack of room are counted', async () => {
  const { sockets, port, heard } = await opened();
  const { socket } = await stranger();
  for (let i = 0; i < 2_000; i++) await tell(socket, 'flood', port);
  io.receive();
  const held = heard.rtp.length;
  expect(held).toBeLessThan(2_000);
  // The kernel reports it with the next packet it accepts.
  await tell(socket, 'after', port);
  await until(() => heard.rtp.length > held, 'the packet behind the flood');
  expect(sockets.overflowed).toBe(2_000 - held);
});

test.runIf(io.kind === 'native')('a thread that ends releases its ports', async () => {
  const port = await freePortPair();
  const module = new URL('../../../src/native/media-io.ts', import.meta.url).href;
  const worker = new Worker(
    `import('${module}').then(({ loadMediaIo }) => {
       const bound = loadMediaIo().open('${V4}', ${port}, 65_536);
       require('node:worker_threads').parentPort.postMessage(bound);
       setInterval(() => {}, 1_000);
     })`,
    { eval: true },
  );
  expect(await once(worker, 'message')).toEqual([expect.any(Number)]);
  await expect(io.open({ bindHost: V4, rtpPort: port, bound: null })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  await worker.terminate();
  closing(await io.open({ bindHost: V4, rtpPort: port, bound: null }));
});
