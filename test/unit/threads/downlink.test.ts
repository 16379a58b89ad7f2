import { describe, expect, it } from 'vitest';
import { FrameRingProducer } from '../../../src/rings/frame-ring.ts';
import { Downlink, type DownlinkReader } from '../../../src/threads/downlink.ts';

class TestReader implements DownlinkReader {
  readonly firstSamples: number[] = [];
  readonly overruns: number[] = [];
  readonly lengths = new Set<number>();
  ready = true;
  corked = 0;

  frame(pcm: Uint8Array): boolean {
    if (!this.ready) return false;
    this.lengths.add(pcm.length);
    this.firstSamples.push(Buffer.from(pcm).readInt16LE(0));
    return true;
  }

  cork(give: () => void): void {
    this.corked++;
    give();
  }

  overrun(lostMs: number): void {
    this.overruns.push(lostMs);
  }
}

/** The worker's half: one numbered frame a tick. */
class TestWriter {
  readonly #ring: FrameRingProducer;
  readonly #rateHz: number;
  #number = 0;

  constructor(downlink: Downlink) {
    this.#ring = new FrameRingProducer(downlink.memory, downlink.sampleRateHz);
    this.#rateHz = downlink.sampleRateHz;
  }

  tick(count = 1): void {
    for (let i = 0; i < count; i++) {
      this.#ring.write(new Int16Array(this.#rateHz / 50).fill(++this.#number));
    }
  }
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

describe('the downlink', () => {
  it('delivers every frame whole and in order', () => {
    const downlink = new Downlink(16_000);
    const writer = new TestWriter(downlink);
    const reader = new TestReader();
    for (let i = 0; i < 100; i++) {
      writer.tick(i % 3);
      downlink.drain(reader);
    }
    expect(reader.firstSamples).toEqual(numbers(1, 99));
    expect(reader.lengths).toEqual(new Set([640]));
    expect(reader.overruns).toEqual([]);
  });

  it('sends several frames corked together, and a single one alone', () => {
    const downlink = new Downlink(16_000);
    const writer = new TestWriter(downlink);
    const reader = new TestReader();
    writer.tick();
    downlink.drain(reader);
    downlink.drain(reader);
    expect(reader.corked).toBe(0);
    writer.tick(7);
    downlink.drain(reader);
    expect(reader.corked).toBe(1);
    expect(reader.firstSamples).toEqual(numbers(1, 8));
  });

  it('keeps 200 ms for a slow reader, drops the oldest and reports how much', () => {
    const downlink = new Downlink(8_000);
    const writer = new TestWriter(downlink);
    const reader = new TestReader();
    reader.ready = false;
    for (let i = 0; i < 25; i++) {
      writer.tick();
      downlink.drain(reader);
    }
    reader.ready = true;
    downlink.drain(reader);
    expect(reader.firstSamples).toEqual(numbers(16, 25));
    expect(reader.overruns.reduce((sum, lostMs) => sum + lostMs, 0)).toBe(300);
  });

  it('counts what the worker lost while there was no reader', () => {
    const downlink = new Downlink(8_000);
    const writer = new TestWriter(downlink);
    const reader = new TestReader();
    writer.tick(50);
    downlink.drain(reader);
    const kept = reader.firstSamples.length;
    expect(kept).toBeGreaterThanOrEqual(15);
    expect(reader.firstSamples).toEqual(numbers(1, kept));
    expect(reader.overruns).toEqual([(50 - kept) * 20]);
  });
});
