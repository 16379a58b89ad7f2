import { expect, it, onTestFinished } from 'vitest';
import { wallMs } from '../../../src/base/wall-ms.ts';
import { MEDIA_MEMORY_BYTES } from '../../../src/media/media-leg.ts';
import { newPacketRings } from '../../../src/rings/bridge-rings.ts';
import { PacketPort } from '../../../src/rings/packet-port.ts';
import type { PacketRecord } from '../../../src/rings/packet-ring.ts';
import { RingPath } from '../../../src/rtp/paths/ring-path.ts';
import { until } from '../engine/support/test-engine.ts';

function pair() {
  const rings = newPacketRings();
  const port = new PacketPort(rings);
  onTestFinished(() => port.close());
  const memory = new SharedArrayBuffer(MEDIA_MEMORY_BYTES);
  return { rings, port, memory, path: new RingPath(rings, memory) };
}

function copyOf({ bytes, start, end, arrivalMs }: PacketRecord) {
  return { bytes: [...bytes.subarray(start, end)], arrivalMs };
}

it('passes packets on with the time of their arrival', () => {
  const { port, path } = pair();
  const packet = Uint8Array.of(1, 2, 3);
  expect(port.receive(packet, 2, 1_234.5)).toBe(true);
  const before = wallMs();
  port.receive(packet);
  packet.fill(9);
  const received: ReturnType<typeof copyOf>[] = [];
  path.receive((record) => received.push(copyOf(record)), 2);
  expect(received.map(({ bytes }) => bytes)).toEqual([
    [1, 2],
    [1, 2, 3],
  ]);
  expect(received[0]!.arrivalMs).toBe(1_234.5);
  expect(received[1]!.arrivalMs).toBeGreaterThanOrEqual(before);
  expect(received[1]!.arrivalMs).toBeLessThanOrEqual(wallMs());
});

it('drops what is too long, and the newest when the engine is behind; the engine counts both', () => {
  const { port, path } = pair();
  expect(port.receive(new Uint8Array(65_536))).toBe(false);
  let taken = 0;
  while (port.receive(Uint8Array.of(taken & 0xff))) taken++;
  expect(path.overflowed).toBe(2);
  const received: number[] = [];
  const receive = () => path.receive(({ bytes, start }) => received.push(bytes[start]!), 64);
  for (let tick = 0; received.length < taken; tick++) {
    expect(tick).toBeLessThan(100);
    receive();
  }
  expect(received).toEqual(Array.from({ length: taken }, (_, i) => i & 0xff));
});

it('counts on another engine thread what was dropped since the former one has counted, and no drop twice', () => {
  const { rings, port, memory, path } = pair();
  port.receive(new Uint8Array(0));
  expect(path.overflowed).toBe(1);
  port.receive(new Uint8Array(0));
  path.send(new Uint8Array(0), 0, 0);
  const next = new RingPath(rings, memory);
  port.receive(new Uint8Array(0));
  expect([next.overflowed, next.unsent]).toEqual([2, 1]);
  expect(new RingPath(rings, memory).overflowed).toBe(0);
});

it('is told of each packet to send, until it closes', async () => {
  const { port, path } = pair();
  const sent: ReturnType<typeof copyOf>[] = [];
  port.listen((record) => sent.push(copyOf(record)));
  expect(path.send(Uint8Array.of(7, 8, 9), 2, 5)).toBe(true);
  expect(path.send(Uint8Array.of(4), 1, 6)).toBe(true);
  await until(() => sent.length === 2);
  expect(sent).toEqual([
    { bytes: [7, 8], arrivalMs: 5 },
    { bytes: [4], arrivalMs: 6 },
  ]);
  port.close();
  path.send(Uint8Array.of(1), 1, 7);
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(sent).toHaveLength(2);
});
