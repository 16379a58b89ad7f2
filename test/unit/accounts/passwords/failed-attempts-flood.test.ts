import { expect, test } from 'vitest';
import { logged } from './logged-attempts.ts';

const NOBODY = {
  name: 'x',
  createdAt: '2026-01-02T03:04:05.678Z',
  email: null,
  emailVerifiedAt: null,
  passwordHash: null,
  ownerProvenAt: null,
};

/** Writing ten thousand lines takes a second. */
test('a flood on many accounts adds ten thousand lines an hour, and the rest is counted', async () => {
  const { store, failed, counting, drops } = await logged();
  const many = 10_100;
  await store.db.transaction().execute(async (trx) => {
    const rows = Array.from({ length: many }, (_, n) => ({ ...NOBODY, id: `acc_${n}` }));
    for (let at = 0; at < many; at += 1_000)
      await trx
        .insertInto('accounts')
        .values(rows.slice(at, at + 1_000))
        .execute();
  });
  for (let n = 0; n < many; n++) failed.note(`acc_${n}`, '192.0.2.1');
  expect(await counting(10_000)).toHaveLength(10_000);
  expect(drops.count).toBe(many - 10_000);
});
