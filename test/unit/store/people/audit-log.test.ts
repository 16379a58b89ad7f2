import { expect, test } from 'vitest';
import { audit } from '../../../../src/store/people/audit-log.ts';
import { auditEntriesAfter } from '../audit-entries.ts';
import { seedAccount, temporaryStore } from '../temporary.ts';

test('entries are read in order, a page at a time, by their account only', async () => {
  const { db } = await temporaryStore().then(async (store) => {
    await seedAccount(store, 'a');
    await seedAccount(store, 'b');
    return store;
  });
  const mine = { accountId: 'acc_a', kind: 'settings', credentialId: 'key_1' } as const;
  await audit(db, mine, {
    action: 'agent.create',
    subject: 'agt_1',
    detail: { name: 'Support' },
  });
  await audit(
    db,
    { accountId: 'acc_b', kind: 'none', credentialId: '' },
    { action: 'agent.create', subject: 'agt_2' },
  );
  await audit(db, mine, { action: 'agent.delete', subject: 'agt_1' });

  const [first] = await auditEntriesAfter(db, 'acc_a', 0, 1);
  expect(first).toEqual({
    id: expect.any(Number),
    accountId: 'acc_a',
    credentialKind: 'settings',
    credentialId: 'key_1',
    action: 'agent.create',
    subject: 'agt_1',
    detail: { name: 'Support' },
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
  const rest = await auditEntriesAfter(db, 'acc_a', first!.id, 10);
  expect(rest.map(({ action, detail }) => [action, detail])).toEqual([['agent.delete', {}]]);
  expect(rest[0]!.createdAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
});

test('an entry is rolled back with its transaction', async () => {
  const store = await temporaryStore();
  const { accountId } = await seedAccount(store, 'a');
  const failing = store.db.transaction().execute(async (trx) => {
    await audit(
      trx,
      { accountId, kind: 'session', credentialId: 'ses_1' },
      { action: 'agent.create', subject: null },
    );
    throw new Error('the change failed');
  });
  await expect(failing).rejects.toThrow('the change failed');
  expect(await auditEntriesAfter(store.db, accountId, 0, 10)).toEqual([]);
});
