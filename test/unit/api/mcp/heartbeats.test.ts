import { expect, test } from 'vitest';
import { Heartbeats } from '../../../../src/api/mcp/tools/message-tools.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** Counts the created timers. */
class CountingClock extends ManualClock {
  timers = 0;

  override after(delayMs: number, action: () => void): () => void {
    this.timers += 1;
    return super.after(delayMs, action);
  }
}

test('heartbeats come every 10 s until the work is done, and its outcome is returned', async () => {
  const clock = new ManualClock();
  const heartbeats = new Heartbeats(clock);
  const heard: number[] = [];
  const work = Promise.withResolvers<string>();
  const outcome = heartbeats.during(work.promise, (seconds) => heard.push(seconds));
  clock.advance(30_300);
  expect(heard).toEqual([10, 20, 30]);
  work.resolve('done');
  expect(await outcome).toBe('done');
  clock.advance(30_000);
  expect(heard).toHaveLength(3);
  const failing = heartbeats.during(Promise.reject(new Error('no')), (seconds) => heard.push(seconds));
  await expect(failing).rejects.toThrow('no');
  clock.advance(30_000);
  expect(heard).toHaveLength(3);
});

test('a thousand concurrent calls share their timers', async () => {
  const clock = new CountingClock();
  const heartbeats = new Heartbeats(clock);
  let beats = 0;
  const work = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 1_000 }, () => heartbeats.during(work.promise, () => beats++));
  clock.advance(50_500);
  expect(beats).toBe(5_000);
  expect(clock.timers).toBeLessThan(20);
  work.resolve();
  await Promise.all(waiting);
});
