import { expect, it } from 'vitest';
import { Places } from '../../../src/base/places.ts';

function places() {
  const refusals = { count: 0 };
  const counted = new Places({
    code: 'too_many_streams',
    what: 'sockets may be open',
    perKey: 2,
    perAccount: 3,
    total: 4,
    onRefused: () => {
      refusals.count += 1;
    },
  });
  const enter = (credentialId: string, accountId: string) => {
    counted.assertRoom({ credentialId, accountId });
    return counted.take({ credentialId, accountId });
  };
  return { counted, enter, refusals };
}

it('limits each key, each account and the total, and names the exceeded limit', () => {
  const { counted, enter, refusals } = places();
  const leaves = [enter('key_1', 'acc_1'), enter('key_1', 'acc_1')];
  expect(() => enter('key_1', 'acc_1')).toThrow('At most 2 sockets may be open per key');
  leaves.push(enter('key_2', 'acc_1'));
  expect(() => enter('key_3', 'acc_1')).toThrow('At most 3 sockets may be open per account');
  leaves.push(enter('key_4', 'acc_2'));
  expect(() => enter('key_5', 'acc_3')).toThrow('At most 4 sockets may be open in the gateway');
  expect([counted.taken, counted.refused, refusals.count]).toEqual([4, 3, 3]);
  for (const leave of leaves) leave();
  expect(counted.taken).toBe(0);
});

it('leaves room for an account that has none, although many others have many', () => {
  const counted = new Places({
    code: 'too_many_waiters',
    what: 'waits',
    perKey: 100,
    perAccount: 100,
    total: 1_000,
  });
  const fill = (accountId: string): number => {
    const holder = { credentialId: accountId, accountId };
    let held = 0;
    for (; counted.hasRoom(holder); held++) counted.take(holder);
    return held;
  };
  const greedy = Array.from({ length: 14 }, (_, n) => fill(`acc_${n}`));
  expect(greedy.slice(0, 9)).toEqual(Array(9).fill(100));
  expect(fill('acc_quiet')).toBeGreaterThan(0);
});

it('frees a place once, however often it is released', () => {
  const { counted, enter } = places();
  const leave = enter('key_1', 'acc_1');
  enter('key_1', 'acc_1');
  leave();
  leave();
  expect(counted.taken).toBe(1);
  enter('key_1', 'acc_1');
  expect(() => enter('key_1', 'acc_1')).toThrow('per key');
});
