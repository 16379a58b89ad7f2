import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { FailedAttempts } from '../../../../src/accounts/passwords/failed-attempts.ts';
import { Retention } from '../../../../src/store/messages/retention.ts';
import { deleteOldestAttempts, insertAuditLine } from '../../../../src/store/people/audit-log.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { seedAccount, temporaryStore } from '../../store/temporary.ts';

const HOUR_MS = 3_600_000;
const NOBODY = {
  name: 'x',
  createdAt: '2026-01-02T03:04:05.678Z',
  email: null,
  emailVerifiedAt: null,
  passwordHash: null,
  ownerProvenAt: null,
};

async function logged() {
  const store = await temporaryStore();
  const { accountId } = await seedAccount(store, 'a');
  const clock = new ManualClock();
  const drops = { count: 0 };
  const failed = new FailedAttempts('password.fail', store.db, clock, {
    failed: (error) => {
      throw error;
    },
    dropped: () => void drops.count++,
  });
  const lines = async () => {
    const rows = await store.db.selectFrom('auditLog').selectAll().orderBy('id').execute();
    return rows.map(({ accountId: owner, action, detail }) => ({ owner, action, ...JSON.parse(detail) }));
  };
  const counted = async () => {
    const total = sql<number>`sum(detail ->> 'count')`.as('total');
    return (await store.db.selectFrom('auditLog').select(total).executeTakeFirst())?.total;
  };
  /** The log lines once they count this many wrong passwords. */
  const counting = async (sum: number) =>
    await waitFor(`${sum} wrong passwords in the log`, async () => (await counted()) === sum && lines());
  return { store, clock, failed, accountId, counting, drops };
}

test('wrong passwords are logged as one line per account, address and hour, with a count', async () => {
  const { clock, failed, accountId, counting } = await logged();
  for (let n = 0; n < 500; n++) failed.note(accountId, '192.0.2.1');
  failed.note(accountId, '192.0.2.2');
  failed.note(null, '192.0.2.1');
  const fail = { action: 'password.fail', lastAt: clock.nowIso() };
  const first = { ...fail, owner: accountId, address: '192.0.2.1', count: 500 };
  expect((await counting(502)).sort((a, b) => b.count - a.count)).toEqual([
    first,
    expect.objectContaining({ ...fail, count: 1 }),
    expect.objectContaining({ ...fail, count: 1 }),
  ]);
  clock.advance(HOUR_MS);
  failed.note(accountId, '192.0.2.1');
  const next = await counting(503);
  expect(next).toHaveLength(4);
  expect(next[3]).toMatchObject({ owner: accountId, count: 1, lastAt: clock.nowIso() });
});

test('a flood from many addresses adds 21 lines an hour to the log', async () => {
  const { failed, accountId, counting } = await logged();
  for (let n = 0; n < 5_000; n++) failed.note(accountId, `10.0.${n >> 8}.${n & 255}`);
  for (let n = 0; n < 5_000; n++) failed.note(null, `10.0.${n >> 8}.${n & 255}`);
  const lines = await counting(10_000);
  expect(lines).toHaveLength(42);
  expect(lines.filter(({ address }) => address === null).map(({ count }) => count)).toEqual([4_980, 4_980]);
});

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

test('attempts and uses of the bridge’s key are deleted from the log after 90 days, other lines are not', async () => {
  const { store, clock, failed, accountId, counting } = await logged();
  failed.note(accountId, '192.0.2.1');
  await counting(1);
  const lines = ['account.sign_up', 'bridge_key.fail', 'bridge_key.use'] as const;
  for (const action of lines)
    await insertAuditLine(store.db, null, { action, detail: {}, createdAt: clock.nowIso() });
  const forget = async (before: string) => {
    await deleteOldestAttempts(store.db, before, 100);
    const rows = await store.db.selectFrom('auditLog').select('action').orderBy('id').execute();
    return rows.map(({ action }) => action);
  };
  const written = clock.nowIso();
  expect(await forget(written)).toEqual(['password.fail', ...lines]);
  clock.advance(91 * 24 * HOUR_MS);
  const retention = new Retention(store.db, clock, { messagesMs: null }, (error) => {
    throw error;
  });
  retention.start();
  await waitFor('the retention to sweep', async () => (await forget(written)).length === 1);
  expect(await forget(written)).toEqual(['account.sign_up']);
  await retention.close();
});
