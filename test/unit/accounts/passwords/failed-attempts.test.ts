import { expect, test } from 'vitest';
import { Retention } from '../../../../src/store/messages/retention.ts';
import { deleteOldestAttempts, insertAuditLine } from '../../../../src/store/people/audit-log.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { logged } from './logged-attempts.ts';

const HOUR_MS = 3_600_000;

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
  const retention = new Retention(store.db, clock, { messagesMs: null, callsMs: null }, (error) => {
    throw error;
  });
  retention.start();
  await waitFor('the retention to sweep', async () => (await forget(written)).length === 1);
  expect(await forget(written)).toEqual(['account.sign_up']);
  await retention.close();
});
