import { expect, it } from 'vitest';
import { TurnSlots } from '../../../src/inline/lanes/turn-slots.ts';
import { ManualClock } from '../../support/manual-clock.ts';

it('gives free slots to the waiting accounts in rotation', async () => {
  const slots = new TurnSlots(new ManualClock(), { total: 2, perAccount: 2 });
  const [first, second] = [await slots.take('a', 1_000), await slots.take('a', 1_000)];
  const order: string[] = [];
  for (const account of ['a', 'a', 'a', 'b', 'c'])
    void slots.take(account, 1_000).then((release) => {
      order.push(account);
      release?.();
    });
  expect([slots.taken, slots.waiting]).toEqual([2, 5]);
  first?.();
  second?.();
  await expect.poll(() => slots.taken + slots.waiting).toBe(0);
  expect(order.slice(0, 3).toSorted()).toEqual(['a', 'b', 'c']);
});

it('keeps an account below its limit, whatever is free', async () => {
  const slots = new TurnSlots(new ManualClock(), { total: 10, perAccount: 1 });
  const release = await slots.take('a', 1_000);
  let isNext = false;
  const next = slots.take('a', 1_000).then(() => {
    isNext = true;
  });
  expect(await slots.take('b', 1_000)).not.toBeNull();
  expect(isNext).toBe(false);
  release?.();
  await next;
});

it('gives up a wait that takes too long, and releases a slot once', async () => {
  const clock = new ManualClock();
  const slots = new TurnSlots(clock, { total: 1, perAccount: 1 });
  const release = await slots.take('a', 1_000);
  const waiting = slots.take('b', 1_000);
  clock.advance(1_000);
  expect(await waiting).toBeNull();
  expect(slots.waiting).toBe(0);
  release?.();
  release?.();
  expect(slots.taken).toBe(0);
});
