import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_MARK, RingConsumer } from '../../../src/rings/ring-consumer.ts';
import { NOTE_CAPACITY, ringMemory } from '../../../src/rings/ring-layout.ts';
import { RingProducer } from '../../../src/rings/ring-producer.ts';

describe('ring memory', () => {
  it('requires a power of two of cells', () => {
    expect(() => ringMemory(1_000)).toThrow('power of two');
    expect(() => new RingConsumer(new SharedArrayBuffer(5_000))).toThrow('not the memory of a ring');
  });
});

type Step =
  | { readonly type: 'write'; readonly length: number; readonly rateHz: number }
  | { readonly type: 'mark' }
  | { readonly type: 'read'; readonly length: number }
  | { readonly type: 'discard' }
  | { readonly type: 'change_hands' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('write' as const),
    length: fc.integer({ min: 1, max: 400 }),
    rateHz: fc.constantFrom(8_000, 16_000, 44_100),
  }),
  fc.record({ type: fc.constant('mark' as const) }),
  fc.record({ type: fc.constant('read' as const), length: fc.integer({ min: 1, max: 300 }) }),
  fc.record({ type: fc.constant('discard' as const) }),
  fc.record({ type: fc.constant('change_hands' as const) }),
);

/** The ring as a list of what was written, for comparison. */
type Item = { readonly sample: number; readonly rateHz: number } | { readonly mark: number };

class RingModel {
  readonly memory = ringMemory(256);
  producer = new RingProducer(this.memory);
  consumer = new RingConsumer(this.memory);
  readonly queue: Item[] = [];
  #next = 1;

  apply(step: Step): void {
    switch (step.type) {
      case 'write':
        return this.#write(step.length, step.rateHz);
      case 'mark':
        if (this.producer.writeMark(this.#next)) this.queue.push({ mark: this.#next });
        this.#next++;
        return;
      case 'read':
        return this.#read(step.length);
      case 'discard':
        return this.#discard();
      case 'change_hands':
        this.consumer.releaseMarks();
        this.producer = new RingProducer(this.memory);
        this.consumer = new RingConsumer(this.memory);
    }
  }

  #write(length: number, rateHz: number): void {
    const samples = Int16Array.from({ length }, () => this.#next++ % 30_000);
    const written = this.producer.write(samples, 0, length, rateHz);
    for (const sample of samples.subarray(0, written)) this.queue.push({ sample, rateHz });
  }

  #read(wanted: number): void {
    const target = new Int16Array(wanted);
    let done = 0;
    while (done < wanted && this.queue.length > 0) {
      const markId = this.consumer.takeMark();
      if (markId !== NO_MARK) {
        expect(this.queue.shift()).toEqual({ mark: markId });
        this.consumer.releaseMarks();
        continue;
      }
      const length = Math.min(wanted - done, this.consumer.readableSamples());
      expect(length).toBeGreaterThan(0);
      this.consumer.read(target, done, length);
      for (const sample of target.subarray(done, done + length)) {
        expect(this.queue.shift()).toEqual({ sample, rateHz: this.consumer.sampleRateHz });
      }
      done += length;
    }
  }

  #discard(): void {
    const skippedMs = this.consumer.discardTo(this.producer.position, this.producer.notesWritten);
    const queuedMs = this.queue.reduce((sum, item) => sum + ('rateHz' in item ? 1000 / item.rateHz : 0), 0);
    expect(skippedMs).toBeCloseTo(queuedMs, 6);
    this.queue.length = 0;
    expect(this.consumer.takeMark()).toBe(NO_MARK);
  }
}

describe('a ring', () => {
  it('returns what was written, in order, with its rates and marks, in pieces of any size', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const model = new RingModel();
        for (const one of steps) model.apply(one);
        expect(model.consumer.queuedSamples).toBe(model.queue.filter((item) => 'sample' in item).length);
      }),
      { numRuns: 300 },
    );
  });

  it('continues across the 32-bit wraparound', () => {
    const memory = ringMemory(256);
    const words = new Int32Array(memory, 0, 32);
    words[0] = 0x7fff_ff80;
    words[16] = 0x7fff_ff80;
    const producer = new RingProducer(memory);
    const consumer = new RingConsumer(memory);
    for (let round = 0; round < 4; round++) {
      expect(producer.write(new Int16Array(200).fill(round), 0, 200, 8_000)).toBe(200);
      expect(producer.queuedSamples).toBe(200);
      const out = new Int16Array(200);
      expect(consumer.readableSamples()).toBe(200);
      consumer.read(out, 0, 200);
      expect(new Set(out)).toEqual(new Set([round]));
    }
  });

  it('keeps a mark that was taken but not reported for the next consumer', () => {
    const memory = ringMemory(256);
    const producer = new RingProducer(memory);
    producer.write(new Int16Array(10), 0, 10, 8_000);
    producer.writeMark(5);
    const first = new RingConsumer(memory);
    first.read(new Int16Array(10), 0, first.readableSamples());
    expect(first.takeMark()).toBe(5);
    const second = new RingConsumer(memory);
    expect(second.takeMark()).toBe(5);
    second.releaseMarks();
    expect(new RingConsumer(memory).takeMark()).toBe(NO_MARK);
  });

  it('refuses a mark when all notes are in use', () => {
    const producer = new RingProducer(ringMemory(256));
    for (let i = 0; i < NOTE_CAPACITY; i++) expect(producer.writeMark(i)).toBe(true);
    expect(producer.writeMark(99)).toBe(false);
    expect(producer.write(new Int16Array(1), 0, 1, 8_000)).toBe(0);
  });

  it('neither tears nor reorders ten million frames between two threads', async () => {
    const frames = 10_000_000;
    const memory = ringMemory(8_192);
    const worker = new Worker(new URL('./ring-writer.worker.ts', import.meta.url), {
      workerData: { memory, frames },
    });
    const consumer = new RingConsumer(memory);
    const finished = new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    const piece = new Int16Array(8_192);
    let number = 0;
    let left = 1;
    let marks = 0;
    let wrong = 0;
    while (number < frames) {
      const markId = consumer.takeMark();
      if (markId !== NO_MARK) {
        consumer.releaseMarks();
        if (markId !== number - 1 || left !== 1 + (number & 7)) wrong++;
        marks++;
      }
      const length = consumer.readableSamples();
      if (length === 0 && markId === NO_MARK) await new Promise(setImmediate);
      if (length > 0 && consumer.sampleRateHz !== [8_000, 16_000, 48_000][Math.floor(number / 5_000) % 3])
        wrong++;
      consumer.read(piece, 0, length);
      for (let i = 0; i < length; i++) {
        if (piece[i] !== (number & 0x7fff)) wrong++;
        left--;
        if (left === 0) {
          number++;
          left = 1 + (number & 7);
        }
      }
    }
    await finished;
    if (consumer.takeMark() !== NO_MARK) marks++;
    expect(wrong).toBe(0);
    expect(marks).toBe(frames / 1_000);
    expect(consumer.queuedSamples).toBe(0);
  }, 600_000);
});
