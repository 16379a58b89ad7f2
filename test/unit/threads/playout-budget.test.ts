import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PlayoutBudget } from '../../../src/threads/playout-budget.ts';

const OWN = 32 * 1024;

it('gives every queue its own share, and the rest up to the limit of an account and of all', () => {
  let refused = 0;
  const memory = new PlayoutBudget({ totalBytes: 1_000, accountBytes: 600, onFull: () => refused++ });
  const [first, second, other] = ['acc_1', 'acc_1', 'acc_2'].map((accountId) => memory.queueOf(accountId));
  expect(first!.take(OWN + 600)).toBe(true);
  expect([second!.take(OWN), second!.take(1)]).toEqual([true, false]);
  expect([other!.take(OWN + 401), other!.take(OWN + 400)]).toEqual([false, true]);
  expect([refused, memory.takenBytes]).toEqual([2, 1_000]);
  first!.give(600);
  expect([second!.take(600), memory.takenBytes]).toEqual([true, 1_000]);
});

it('stays exact under any sequence of taking and giving back', () => {
  const step = fc.record({
    queue: fc.nat(3),
    bytes: fc.integer({ min: 1, max: 2 * OWN }),
    gives: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const memory = new PlayoutBudget({ totalBytes: 3 * OWN, accountBytes: 2 * OWN, onFull() {} });
      const queues = ['a', 'a', 'b', 'b'].map((accountId) => ({
        memory: memory.queueOf(accountId),
        held: [0],
      }));
      for (const { queue, bytes, gives } of steps) {
        const { memory: own, held } = queues[queue]!;
        if (gives) own.give(held.length > 1 ? held.pop()! : 0);
        else if (own.take(bytes)) held.push(bytes);
        const sums = queues.map((one) => one.held.reduce((sum, length) => sum + length));
        const shared = sums.map((sum) => Math.max(0, sum - OWN));
        expect(memory.takenBytes).toBe(shared.reduce((sum, length) => sum + length));
        expect(memory.takenBytes).toBeLessThanOrEqual(3 * OWN);
        for (const [one, two] of [shared.slice(0, 2), shared.slice(2)])
          expect(one! + two!).toBeLessThanOrEqual(2 * OWN);
      }
    }),
  );
});
