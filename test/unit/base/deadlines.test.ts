import { expect, test } from 'vitest';
import { Deadlines } from '../../../src/base/deadlines.ts';
import type { Clock } from '../../../src/base/time.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** Counts the created timers. */
class CountingClock implements Clock {
  readonly inner = new ManualClock();
  timers = 0;

  nowIso(): string {
    return this.inner.nowIso();
  }

  monotonicMs(): number {
    return this.inner.monotonicMs();
  }

  after(delayMs: number, action: () => void): () => void {
    this.timers += 1;
    return this.inner.after(delayMs, action);
  }
}

test('actions run at their time or up to 100 ms later, and never early', () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock);
  const ran: [number, number][] = [];
  for (const delayMs of [550, 50, 1_000, 51, 0, 120, 999])
    deadlines.after(delayMs, () => ran.push([delayMs, clock.monotonicMs()]));
  for (let i = 0; i < 1_200; i++) clock.advance(1);
  expect(ran).toHaveLength(7);
  for (const [delayMs, ranAtMs] of ran) {
    expect(ranAtMs).toBeGreaterThanOrEqual(delayMs);
    expect(ranAtMs).toBeLessThanOrEqual(delayMs + 100);
  }
});

test('a cancelled action does not run, but the others of its slot do', () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock);
  const ran: string[] = [];
  const cancel = deadlines.after(10, () => ran.push('cancelled'));
  deadlines.after(10, () => ran.push('kept'));
  cancel();
  cancel();
  clock.advance(500);
  expect(ran).toEqual(['kept']);
  cancel();
});

test('an action can add another, and a later deadline does not delay an earlier one', () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock);
  const ran: string[] = [];
  deadlines.after(50_000, () => ran.push('late'));
  deadlines.after(100, () => {
    ran.push('first');
    deadlines.after(100, () => ran.push('second'));
  });
  clock.advance(400);
  expect(ran).toEqual(['first', 'second']);
  clock.advance(50_000);
  expect(ran).toEqual(['first', 'second', 'late']);
});

test('thousands of deadlines share a timer', () => {
  const clock = new CountingClock();
  const deadlines = new Deadlines(clock);
  let ran = 0;
  for (let i = 0; i < 5_000; i++) deadlines.after(55_000, () => (ran += 1));
  expect(clock.timers).toBe(1);
  clock.inner.advance(55_100);
  expect(ran).toBe(5_000);
});
