/** The same packets by the engine's own sockets: `node ours.ts portable|native sockets ticks port peer-port`. */

import { loadMediaIo } from '../../src/native/media-io.ts';
import { NativeIo } from '../../src/rtp/paths/native-sockets.ts';
import type { DatagramListener, PacketPath, SocketIo } from '../../src/rtp/paths/packet-path.ts';
import { portableIo } from '../../src/rtp/paths/portable-sockets.ts';

const PACKET_BYTES = 172;
const TICK_MS = 20;
/** Before the measurement, for the compiler. */
const WARM_UP_TICKS = 50;

const [kind, ...numbers] = process.argv.slice(2);
const [sockets = 0, ticks = 0, port = 0, peerPort = 0] = numbers.map(Number);
const counts = { received: 0, sent: 0, checksum: 0 };

const listener: DatagramListener = {
  onRtp: ({ bytes, start, end }) => {
    counts.received++;
    counts.checksum += bytes[start + 3]! + bytes[end - 1]!;
  },
  onRtcp: () => {},
  onBug: console.error,
};

function chosenIo(): SocketIo {
  if (kind === 'portable') return portableIo;
  const binding = loadMediaIo();
  if (typeof binding === 'string') throw new Error(binding);
  return new NativeIo(binding);
}

async function openAll(io: SocketIo): Promise<PacketPath[]> {
  const legs: PacketPath[] = [];
  for (let i = 0; i < sockets; i++) {
    const leg = await io.open({ bindHost: '127.0.0.1', rtpPort: port + 2 * i } as Parameters<
      SocketIo['open']
    >[0]);
    leg.listen(listener);
    legs.push(leg);
  }
  return legs;
}

function writePacket(packet: Uint8Array, sequence: number): void {
  packet.fill(sequence & 0x7f);
  packet[0] = 0x80;
  packet[2] = sequence >> 8;
  packet[3] = sequence;
}

function sendEach(legs: readonly PacketPath[], packet: Uint8Array, sequence: number): void {
  for (let i = 0; i < legs.length; i++) {
    writePacket(packet, sequence);
    legs[i]!.sendRtp(packet, PACKET_BYTES, peerPort + 2 * i, '127.0.0.1');
    counts.sent++;
  }
}

async function runTicks(count: number, onTick: (tick: number) => void): Promise<void> {
  const originMs = performance.now();
  for (let tick = 1; tick <= count; tick++) {
    const waitMs = originMs + tick * TICK_MS - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, waitMs)));
    onTick(tick);
  }
}

const io = chosenIo();
const legs = await openAll(io);
const packet = new Uint8Array(PACKET_BYTES);
const exchange = (tick: number) => {
  io.receive();
  sendEach(legs, packet, tick);
  io.send();
};
await runTicks(WARM_UP_TICKS, exchange);
Object.assign(counts, { received: 0, sent: 0, checksum: 0 });
const before = process.cpuUsage();
await runTicks(ticks, exchange);
const { user, system } = process.cpuUsage(before);
const unsent = legs.reduce((sum, leg) => sum + leg.unsent, 0);
const figures = {
  'µs of CPU a packet pair': (user + system) / counts.sent,
  'received a packet sent': counts.received / (counts.sent - unsent),
};
console.log(JSON.stringify(figures));
for (const leg of legs) leg.close();
