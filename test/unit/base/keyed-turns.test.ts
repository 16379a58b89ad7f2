import { expect, test } from 'vitest';
import { KeyedTurns } from '../../../src/base/keyed-turns.ts';

test('actions of one key run one after the other, also after one that fails; keys do not wait for each other', async () => {
  const turns = new KeyedTurns();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const failed = turns.run('a', async () => {
    await gate.promise;
    order.push('a1');
    throw new Error('no');
  });
  const second = turns.run('a', async () => order.push('a2'));
  await turns.run('b', async () => order.push('b'));
  expect([order, turns.has('a'), turns.has('b'), turns.size]).toEqual([['b'], true, false, 1]);
  gate.resolve();
  await expect(failed).rejects.toThrow('no');
  expect(await second).toBe(3);
  expect(order).toEqual(['b', 'a1', 'a2']);
});

test('settled waits for what was handed in so far, and never rejects', async () => {
  const turns = new KeyedTurns();
  const gate = Promise.withResolvers<void>();
  turns.run('a', () => gate.promise).catch(() => undefined);
  await turns.settled('b');
  const settled = Promise.all([turns.settled('a'), turns.settled()]);
  gate.reject(new Error('no'));
  await settled;
  expect(turns.size).toBe(0);
});
