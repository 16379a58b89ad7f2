import { expect, test } from 'vitest';
import { TimeLimit } from '../../../src/base/time.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('a limit aborts when its time is up, with its reason', () => {
  const clock = new ManualClock();
  const reason = new Error('too late');
  const { signal } = new TimeLimit(clock, 100, { reason });
  clock.advance(99);
  expect(signal.aborted).toBe(false);
  clock.advance(1);
  expect(signal.reason).toBe(reason);
});

test('the outer signal aborts the limit, at any time, without passing on its reason', () => {
  const outer = new AbortController();
  const { signal } = new TimeLimit(new ManualClock(), 100, {
    outer: outer.signal,
    reason: new Error('too late'),
  });
  expect(signal.aborted).toBe(false);
  outer.abort(new Error('of no concern'));
  expect(signal.reason.name).toBe('AbortError');
  expect(new TimeLimit(new ManualClock(), 100, { outer: outer.signal }).signal.aborted).toBe(true);
});

test('a lifted limit still follows the outer signal, a closed one does not', () => {
  const clock = new ManualClock();
  const outer = new AbortController();
  const [lifted, closed] = [1, 2].map(() => new TimeLimit(clock, 100, { outer: outer.signal }));
  lifted?.lift();
  closed?.close();
  clock.advance(1_000);
  expect(lifted?.signal.aborted).toBe(false);
  outer.abort();
  expect([lifted?.signal.aborted, closed?.signal.aborted]).toEqual([true, false]);
});
