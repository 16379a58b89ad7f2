import { expect, test } from 'vitest';
import { KeyedQueue } from '../../../src/base/keyed-queue.ts';

test('actions of one key run one after the other, also after one that fails; keys do not wait for each other', async () => {
  const queue = new KeyedQueue();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const failed = queue.run('a', async () => {
    await gate.promise;
    order.push('a1');
    throw new Error('no');
  });
  const second = queue.run('a', async () => order.push('a2'));
  await queue.run('b', async () => order.push('b'));
  expect([order, queue.has('a'), queue.has('b'), queue.size]).toEqual([['b'], true, false, 1]);
  gate.resolve();
  await expect(failed).rejects.toThrow('no');
  expect(await second).toBe(3);
  expect(order).toEqual(['b', 'a1', 'a2']);
});

test('settled waits for what was handed in so far, and never rejects', async () => {
  const queue = new KeyedQueue();
  const gate = Promise.withResolvers<void>();
  queue.run('a', () => gate.promise).catch(() => undefined);
  await queue.settled('b');
  const settled = Promise.all([queue.settled('a'), queue.settled()]);
  gate.reject(new Error('no'));
  await settled;
  expect(queue.size).toBe(0);
});
