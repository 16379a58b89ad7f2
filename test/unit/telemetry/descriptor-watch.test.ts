import { closeSync, openSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { DescriptorWatch, ownDescriptors } from '../../../src/telemetry/descriptor-watch.ts';

const LIMIT = 1_000;
/** A tenth of the limit. */
const RESERVED = 100;

function watching() {
  const held = { open: 10 };
  const told: (string | null)[] = [];
  const watch = new DescriptorWatch({ limit: LIMIT, open: () => held.open });
  watch.watch((problem) => told.push(problem));
  return { held, told, watch };
}

test('connections are accepted while half of the reserve is left, however many arrive at once', () => {
  const { held, watch } = watching();
  let taken = 0;
  while (watch.admits()) {
    taken += 1;
    held.open += 1;
  }
  expect(LIMIT - held.open).toBe(RESERVED / 2);
  expect([taken, watch.refused]).toEqual([LIMIT - RESERVED / 2 - 10, 1]);
  watch.close();
});

test('a shortage is reported once before connections are refused, and so is its end', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const { held, told, watch } = watching();
  try {
    held.open = LIMIT - RESERVED;
    vi.advanceTimersByTime(5_000);
    const problem = '900 of 1000 file descriptors are in use';
    expect([told, watch.problem, watch.admits()]).toEqual([[problem], problem, true]);
    held.open = LIMIT;
    vi.advanceTimersByTime(5_000);
    expect([told, watch.admits()]).toEqual([[problem], false]);
    held.open = LIMIT - RESERVED - 10;
    vi.advanceTimersByTime(5_000);
    expect([told, watch.admits()], 'there are hardly enough').toEqual([[problem], true]);
    held.open = 10;
    vi.advanceTimersByTime(1_000);
    expect([told, watch.problem]).toEqual([[problem, null], null]);
  } finally {
    watch.close();
    vi.useRealTimers();
  }
});

test.runIf(process.platform === 'linux')(
  'the operating system reports the descriptors of this process',
  () => {
    const { limit, open } = ownDescriptors();
    expect(limit).toBeGreaterThan(0);
    const before = open();
    const files = Array.from({ length: 50 }, () => openSync('/dev/null', 'r'));
    expect(open() - before).toBeGreaterThanOrEqual(50);
    for (const file of files) closeSync(file);
  },
);

test('all connections are accepted when the operating system reports no limit', () => {
  const watch = new DescriptorWatch({ limit: null, open: () => 0 });
  expect([watch.admits(), watch.problem]).toEqual([true, null]);
});
