import { describe, expect, it } from 'vitest';
import {
  FrameRingConsumer,
  FrameRingProducer,
  frameRingMemory,
  patientRingMemory,
} from '../../../src/rings/frame-ring.ts';

const RATE_HZ = 11_025;
const FRAME_SAMPLES = 220;

function frame(number: number): Int16Array {
  return new Int16Array(FRAME_SAMPLES).fill(number);
}

/** Takes every waiting frame; each must have one number throughout. */
function takeAll(consumer: FrameRingConsumer): number[] {
  return Array.from({ length: consumer.waiting() }, () => {
    const bytes = consumer.oldest();
    const samples = new Set(new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2));
    expect([bytes.length, samples.size]).toEqual([2 * FRAME_SAMPLES, 1]);
    consumer.release();
    return [...samples][0] as number;
  });
}

describe('a frame ring', () => {
  it('returns what was written, in order, across the 32-bit wraparound and a change of owners', () => {
    const memory = frameRingMemory(RATE_HZ);
    new Int32Array(memory, 0, 1)[0] = 0x7fff_fff0;
    new Int32Array(memory, 64, 1)[0] = 0x7fff_fff0;
    const taken: number[] = [];
    for (let number = 0; number < 60; number += 3) {
      const producer = new FrameRingProducer(memory, RATE_HZ);
      for (let i = 0; i < 3; i++) expect(producer.write(frame(number + i))).toBe(true);
      taken.push(...takeAll(new FrameRingConsumer(memory, RATE_HZ)));
    }
    expect(taken).toEqual(Array.from({ length: 60 }, (_, number) => number));
  });

  it('refuses and counts what does not fit, and keeps what it has', () => {
    const memory = frameRingMemory(RATE_HZ);
    const producer = new FrameRingProducer(memory, RATE_HZ);
    const consumer = new FrameRingConsumer(memory, RATE_HZ);
    const written = Array.from({ length: 20 }, (_, number) => producer.write(frame(number)));
    expect(written.filter((fits) => fits)).toHaveLength(16);
    expect(takeAll(consumer)).toEqual(Array.from({ length: 16 }, (_, number) => number));
    expect(consumer.framesLost).toBe(4);
    expect(producer.write(frame(20))).toBe(true);
    expect(takeAll(consumer)).toEqual([20]);
  });

  it('holds eight times as much for a patient reader', () => {
    const memory = patientRingMemory(RATE_HZ);
    const producer = new FrameRingProducer(memory, RATE_HZ);
    const consumer = new FrameRingConsumer(memory, RATE_HZ);
    for (let round = 0; round < 3; round++) {
      const written = Array.from({ length: 129 }, (_, number) => producer.write(frame(number)));
      expect(written.lastIndexOf(true)).toBe(127);
      expect(takeAll(consumer)).toEqual(Array.from({ length: 128 }, (_, number) => number));
      expect(consumer.framesLost).toBe(round + 1);
    }
  });

  it('refuses memory for another rate', () => {
    expect(() => new FrameRingProducer(frameRingMemory(8_000), RATE_HZ)).toThrow('not a frame ring');
  });
});
