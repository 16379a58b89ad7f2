import { expect, test } from 'vitest';
import { LimitedMap } from '../../../src/base/limited-map.ts';

const kept = (map: LimitedMap<number>, count: number) =>
  Array.from({ length: count }, (_, n) => n).filter((n) => map.get(`${n}`) !== undefined);

test('the map keeps the more recent half, and never exceeds its limit', () => {
  const map = new LimitedMap<number>(10);
  for (let n = 0; n < 1_000; n++) {
    map.set(`${n}`, n);
    const all = kept(map, n + 1);
    expect(all.length).toBeLessThanOrEqual(10);
    expect(all.slice(-5)).toEqual(
      Array.from({ length: Math.min(5, n + 1) }, (_, i) => n - Math.min(4, n) + i),
    );
  }
});

test('setting a key again renews it, and a deleted key is gone', () => {
  const map = new LimitedMap<number>(10);
  for (let n = 0; n < 5; n++) map.set(`${n}`, n);
  map.set('5', 5);
  map.set('0', 100);
  for (let n = 6; n < 9; n++) map.set(`${n}`, n);
  expect(map.get('0')).toBe(100);
  map.delete('0');
  expect(map.get('0')).toBeUndefined();
});

test('setting takes no longer once the map is full', () => {
  const map = new LimitedMap<number>(100_000);
  const cpuMsOf = (from: number): number => {
    const before = process.cpuUsage();
    for (let n = from; n < from + 200_000; n++) map.set(`${n}`, n);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const empty = cpuMsOf(0);
  // A plain Map took 300 times as long, skipping its deleted entries.
  expect(cpuMsOf(200_000)).toBeLessThan(10 * empty + 100);
});
