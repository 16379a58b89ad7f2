import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import {
  MAX_PACKET_BYTES,
  PacketRingConsumer,
  PacketRingProducer,
  packetRingMemory,
} from '../../../src/rings/packet-ring.ts';

const CAPACITY_BYTES = 4_096;

function packet(number: number, length: number): Uint8Array {
  return new Uint8Array(length).fill(number);
}

/** Takes every packet; each must have one number throughout. */
function takeAll(consumer: PacketRingConsumer): { number: number; length: number; arrivalMs: number }[] {
  const taken = [];
  while (consumer.next()) {
    const { bytes, start, end, arrivalMs } = consumer;
    const values = [...new Set(bytes.subarray(start, end))];
    expect(values).toHaveLength(1);
    taken.push({ number: values[0]!, length: end - start, arrivalMs });
  }
  return taken;
}

describe('a packet ring', () => {
  it('returns what was written, in order, across the 32-bit wraparound and a change of owners', () => {
    const memory = packetRingMemory(CAPACITY_BYTES);
    for (const offset of [0, 64]) new Int32Array(memory, offset, 1)[0] = 0x7fff_f000;
    const written = Array.from({ length: 240 }, (_, number) => ({
      number,
      length: 1 + ((number * 97) % MAX_PACKET_BYTES),
      arrivalMs: 1_700_000_000_000.125 + number,
    }));
    const taken = [];
    for (const { number, length, arrivalMs } of written) {
      expect(new PacketRingProducer(memory).write(packet(number, length), length, arrivalMs)).toBe(true);
      taken.push(...takeAll(new PacketRingConsumer(memory)));
    }
    expect(taken).toEqual(written);
  });

  it('copies only the part of the array that is the packet', () => {
    const memory = packetRingMemory(CAPACITY_BYTES);
    new PacketRingProducer(memory).write(Uint8Array.of(5, 5, 5, 9, 9), 3, 0);
    expect(takeAll(new PacketRingConsumer(memory))).toEqual([{ number: 5, length: 3, arrivalMs: 0 }]);
  });

  it('refuses and counts what does not fit, and keeps what it has', () => {
    const memory = packetRingMemory(CAPACITY_BYTES);
    const producer = new PacketRingProducer(memory);
    const consumer = new PacketRingConsumer(memory);
    const fits = Array.from({ length: 5 }, (_, number) => producer.write(packet(number, 1_000), 1_000, 0));
    expect(fits).toEqual([true, true, true, true, false]);
    expect(takeAll(consumer).map(({ number }) => number)).toEqual([0, 1, 2, 3]);
    expect([producer.dropped, consumer.dropped]).toEqual([1, 1]);
    expect(producer.write(packet(5, 1_000), 1_000, 0)).toBe(true);
    expect(takeAll(consumer).map(({ number }) => number)).toEqual([5]);
  });

  it('takes the longest packet wherever it stands, and refuses longer and empty ones', () => {
    const memory = packetRingMemory(CAPACITY_BYTES);
    const producer = new PacketRingProducer(memory);
    const consumer = new PacketRingConsumer(memory);
    for (let at = 0; at < CAPACITY_BYTES; at += 32) {
      expect(producer.write(packet(1, 16), 16, 0)).toBe(true);
      takeAll(consumer);
      expect(producer.write(packet(2, MAX_PACKET_BYTES), MAX_PACKET_BYTES, 0)).toBe(true);
      expect(takeAll(consumer)).toEqual([{ number: 2, length: MAX_PACKET_BYTES, arrivalMs: 0 }]);
    }
    const long = packet(3, MAX_PACKET_BYTES + 1);
    expect(producer.write(long, long.length, 0)).toBe(false);
    expect(producer.write(long, 0, 0)).toBe(false);
    expect(takeAll(consumer)).toEqual([]);
    expect(producer.dropped).toBe(2);
  });

  it('keeps a packet until the next one is asked for', () => {
    const memory = packetRingMemory(CAPACITY_BYTES);
    const producer = new PacketRingProducer(memory);
    const consumer = new PacketRingConsumer(memory);
    producer.write(packet(1, 1_300), 1_300, 0);
    producer.write(packet(2, 1_300), 1_300, 0);
    consumer.next();
    expect(producer.write(packet(3, 1_500), 1_500, 0)).toBe(false);
    expect(consumer.bytes[consumer.start]).toBe(1);
    expect(takeAll(new PacketRingConsumer(memory)).map(({ number }) => number)).toEqual([1, 2]);
  });

  it('refuses memory of another size', () => {
    expect(() => new PacketRingProducer(new SharedArrayBuffer(5_000))).toThrow('not the memory');
    expect(() => packetRingMemory(5_000)).toThrow('not a power of two');
  });

  it('neither tears nor reorders 200,000 packets between two threads', async () => {
    const packets = 200_000;
    const memory = packetRingMemory(CAPACITY_BYTES);
    const worker = new Worker(new URL('./packet-writer.worker.ts', import.meta.url), {
      workerData: { memory, packets },
    });
    const finished = new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    const consumer = new PacketRingConsumer(memory);
    let number = 0;
    let wrong = 0;
    while (number < packets) {
      if (!consumer.next()) {
        await new Promise(setImmediate);
        continue;
      }
      const { bytes, start, end, arrivalMs } = consumer;
      if (end - start !== 1 + (number & 63) || arrivalMs !== number) wrong++;
      for (let i = start; i < end; i++) if (bytes[i] !== (number & 0xff)) wrong++;
      number++;
    }
    await finished;
    expect(wrong).toBe(0);
    expect(consumer.next()).toBe(false);
  });
});
