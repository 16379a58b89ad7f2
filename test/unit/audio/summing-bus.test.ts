import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SummingBus } from '../../../src/audio/summing-bus.ts';

const sample = fc.integer({ min: -32_768, max: 32_767 });

/** Includes frames that do not fill whole vectors. */
const voices = fc
  .integer({ min: 1, max: 40 })
  .chain((length) =>
    fc.array(fc.array(sample, { minLength: length, maxLength: length }), { minLength: 1, maxLength: 9 }),
  );

function saturated(value: number): number {
  return Math.max(-32_768, Math.min(32_767, value));
}

function fill(bus: SummingBus, frames: readonly (readonly number[])[]): void {
  bus.makeRoom(frames.length);
  bus.clear();
  for (const [i, frame] of frames.entries()) {
    bus.voice(i).set(frame);
    bus.add(i);
  }
}

test('leaving out one voice gives the saturated sum of all others', () => {
  fc.assert(
    fc.property(voices, (frames) => {
      const bus = new SummingBus(frames[0]!.length);
      fill(bus, frames);
      const total = frames[0]!.map((_, n) => frames.reduce((sum, frame) => sum + frame[n]!, 0));
      for (const [i, frame] of frames.entries()) {
        bus.leaveOut(i);
        expect([...bus.rest]).toEqual(total.map((sum, n) => saturated(sum - frame[n]!)));
      }
      bus.leaveOutNobody();
      expect([...bus.rest]).toEqual(total.map(saturated));
      expect([...bus.silence]).toEqual(total.map(() => 0));
    }),
  );
});

test('the bus grows beyond its first page of memory', () => {
  const bus = new SummingBus(960);
  fill(bus, [new Array(960).fill(1)]);
  fill(
    bus,
    Array.from({ length: 200 }, (_, i) => new Array(960).fill(i)),
  );
  bus.leaveOut(199);
  expect([...bus.rest]).toEqual(new Array(960).fill((198 * 199) / 2));
});
