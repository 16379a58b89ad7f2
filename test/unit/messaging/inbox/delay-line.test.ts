import { expect, it } from 'vitest';
import { DelayLine } from '../../../../src/messaging/inbox/delay-line.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

function line(delayMs = 1_000) {
  const clock = new ManualClock();
  const due: string[] = [];
  return { clock, due, line: new DelayLine(clock, delayMs, (key) => due.push(key)) };
}

it('calls back once for each key, a fixed time after it was last put in', () => {
  const { clock, due, line: keys } = line();
  keys.put('a');
  clock.advance(500);
  keys.put('b');
  clock.advance(499);
  expect(due).toEqual([]);
  clock.advance(1);
  expect(due).toEqual(['a']);
  keys.put('b');
  clock.advance(999);
  expect([due, keys.size]).toEqual([['a'], 1]);
  clock.advance(1);
  clock.advance(10_000);
  expect([due, keys.size]).toEqual([['a', 'b'], 0]);
});

it('forgets removed keys, in any order', () => {
  const { clock, due, line: keys } = line();
  for (const key of ['a', 'b', 'c']) keys.put(key);
  expect([keys.remove('a'), keys.remove('c'), keys.remove('x')]).toEqual([true, true, false]);
  expect([keys.has('a'), keys.has('b')]).toEqual([false, true]);
  clock.advance(1_000);
  expect(due).toEqual(['b']);
  keys.put('d');
  keys.close();
  clock.advance(1_000);
  expect(due).toEqual(['b']);
});

it('accepts keys during a callback', () => {
  const clock = new ManualClock();
  const due: string[] = [];
  const keys: DelayLine = new DelayLine(clock, 10, (key) => {
    due.push(key);
    if (due.length < 5) keys.put(key);
  });
  keys.put('a');
  keys.put('b');
  clock.advance(100);
  expect(due).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
});
