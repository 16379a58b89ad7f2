import { expect, test, vi } from 'vitest';
import { SharedImmediate } from '../../../src/base/shared-immediate.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('an action runs once in the next turn unless it is cancelled, all by one immediate', async () => {
  const immediates = vi.spyOn(globalThis, 'setImmediate');
  const later = new SharedImmediate();
  const [kept, cancelled, cancelledLate] = [vi.fn(), vi.fn(), vi.fn()];
  const cancel = later.run(cancelled);
  cancel();
  later.run(kept);
  const cancelLate = later.run(cancelledLate);
  await Promise.resolve();
  expect(kept).not.toHaveBeenCalled();
  cancelLate();
  expect(immediates).toHaveBeenCalledTimes(1);
  await turn();
  await turn();
  expect([kept, cancelled, cancelledLate].map((action) => action.mock.calls.length)).toEqual([1, 0, 0]);
  immediates.mockRestore();
});

test('an action added by another runs in the turn after', async () => {
  const later = new SharedImmediate();
  const order: string[] = [];
  later.run(() => {
    order.push('first');
    later.run(() => order.push('second'));
  });
  await turn();
  await turn();
  expect(order).toEqual(['first', 'second']);
});
