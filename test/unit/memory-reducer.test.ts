import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { MemoryReducer, PROCESS_MEMORY, type ProcessMemory } from '../../src/memory-reducer.ts';
import { loadMediaIo } from '../../src/native/media-io.ts';
import { ManualClock } from '../support/manual-clock.ts';

const MINUTE_MS = 60_000;
const BURST_BYTES = 64e6;
/** One of the burst's objects with its list. */
const OBJECT_BYTES = 80;

/** A process that returns its surplus memory when its heap is reduced. */
class FakeProcess implements ProcessMemory {
  megabytes = 100;
  usedMegabytes = 100;
  busyShare = 0.1;
  heapsGivenBack = 0;
  reductions = 0;

  residentBytes(): number {
    return this.megabytes * 2 ** 20;
  }

  utilization(): number {
    return this.busyShare;
  }

  giveHeapBack(): void {
    this.heapsGivenBack += 1;
  }

  reduceObjectHeap(): void {
    this.reductions += 1;
    this.megabytes = this.usedMegabytes;
  }
}

function watched() {
  const clock = new ManualClock();
  const memory = new FakeProcess();
  return { clock, memory, unused: new MemoryReducer(clock, memory) };
}

test('the malloc heap is trimmed once a minute', () => {
  const { clock, memory } = watched();
  clock.advance(3 * MINUTE_MS);
  expect(memory.heapsGivenBack).toBe(3);
  expect(memory.reductions).toBe(0);
});

test('memory that V8 keeps after a burst is released once', () => {
  const { clock, memory } = watched();
  memory.megabytes = 150;
  clock.advance(4 * MINUTE_MS);
  expect(memory.reductions).toBe(1);
  expect(memory.heapsGivenBack).toBe(4);
  expect(memory.megabytes).toBe(100);
});

test('memory that stays in use triggers only one reduction', () => {
  const { clock, memory } = watched();
  memory.megabytes = 150;
  memory.usedMegabytes = 150;
  clock.advance(10 * MINUTE_MS);
  expect(memory.reductions).toBe(1);
});

test('a burst in the minute after a reduction is released, too', () => {
  const { clock, memory } = watched();
  memory.megabytes = 150;
  clock.advance(MINUTE_MS + 10_000);
  memory.megabytes = 150;
  clock.advance(MINUTE_MS);
  expect(memory.reductions).toBe(2);
});

test('a busy thread keeps its memory until it is idle', () => {
  const { clock, memory } = watched();
  memory.megabytes = 150;
  memory.busyShare = 0.9;
  clock.advance(5 * MINUTE_MS);
  expect(memory.reductions).toBe(0);
  memory.busyShare = 0.1;
  clock.advance(MINUTE_MS);
  expect(memory.reductions).toBe(1);
});

test('a closed reducer does nothing', () => {
  const { clock, memory, unused } = watched();
  unused.close();
  clock.advance(MINUTE_MS);
  expect(memory.heapsGivenBack).toBe(0);
});

test.skipIf(typeof loadMediaIo() === 'string')('V8 releases the pages of a burst', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const beforeBytes = PROCESS_MEMORY.residentBytes();
  const grownBytes = () => PROCESS_MEMORY.residentBytes() - beforeBytes;
  fillHeap();
  // What the normal collection frees stays resident.
  collect();
  const keptBytes = grownBytes();
  expect(keptBytes).toBeGreaterThan(BURST_BYTES / 2);
  PROCESS_MEMORY.reduceObjectHeap();
  await vi.waitFor(() => expect(grownBytes()).toBeLessThan(keptBytes / 2), { timeout: 10_000 });
});

function fillHeap(): number {
  const ofEach = Array.from({ length: BURST_BYTES / OBJECT_BYTES }, (_, number) => ({
    number,
    list: [number],
  }));
  return ofEach.length;
}
