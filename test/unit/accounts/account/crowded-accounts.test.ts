import { expect, onTestFinished, test } from 'vitest';
import { CrowdedAccounts } from '../../../../src/accounts/account/crowded-accounts.ts';
import { Mailer } from '../../../../src/accounts/mail/mailer.ts';
import type { Mail } from '../../../../src/accounts/mail/mails.ts';
import { countRows, deleteRows, insertRow } from '../../../../src/store/database/rows.ts';
import { appendEvent } from '../../../../src/store/messages/events.ts';
import { insertAccount } from '../../../../src/store/people/accounts.ts';
import { openStore, type Store } from '../../../../src/store/store.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { NOW, temporaryDir } from '../../store/temporary.ts';

const KB = 1_024;
const QUOTA = 100 * KB;

async function smallStore(clock: ManualClock): Promise<Store> {
  const store = await openStore({ dataDir: temporaryDir(), masterKey: null, accountBytes: QUOTA, clock });
  onTestFinished(() => store.close());
  return store;
}

async function fill(store: Store, accountId: string, events: number): Promise<void> {
  for (let n = 0; n < events; n++)
    await appendEvent(store.db, {
      accountId,
      agentId: null,
      type: 'call_chat',
      payload: { n },
      createdAt: NOW,
    });
}

test('the owner of a full account is told once, and its oldest events make room beyond the reserve', async () => {
  const clock = new ManualClock();
  const store = await smallStore(clock);
  for (const id of ['acc_full', 'acc_other'])
    await insertAccount(store.db, { id, name: id, createdAt: NOW, email: `${id}@example.com` });
  const mails: Mail[] = [];
  const transport = { send: async (mail: Mail) => void mails.push(mail), close: () => {} };
  const full: string[] = [];
  const failed = (error: unknown) => {
    throw error;
  };
  const mailer = new Mailer(transport, clock, { mailFailed: failed });
  const onFull = (accountId: string) => void full.push(accountId);
  const crowded = new CrowdedAccounts({ store, clock, mailer, onFull, onFailure: failed });
  const look = async () => {
    await crowded.look();
    clock.advance(1_000);
    await mailer.settled();
  };
  const { db, quota } = store;

  await fill(store, 'acc_other', 10);
  await fill(store, 'acc_full', 255);
  expect(() => quota.assertRoom('acc_full')).toThrow('The account has reached its');
  expect(quota.hasReserve('acc_full')).toBe(true);
  quota.assertRoom('acc_other');
  await look();
  await look();
  expect([full, mails.map(({ to, subject }) => [to, subject])]).toEqual([
    ['acc_full'],
    [['acc_full@example.com', 'Your account is full']],
  ]);
  expect(await countRows(db, 'events', { accountId: 'acc_full' })).toBe(255);

  // Where all that is left may not go, nothing more is stored.
  const feedback = { accountId: 'acc_full', message: 'x'.repeat(20 * KB), createdAt: NOW };
  await insertRow(db, 'feedback', {
    id: 'f1',
    surface: null,
    provider: null,
    errorDetail: null,
    suggestionShown: null,
    ...feedback,
  });
  expect(quota.hasReserve('acc_full')).toBe(false);
  await look();
  expect(quota.storedBy('acc_full')).toBeLessThanOrEqual(quota.reserveBytes);
  expect(quota.hasReserve('acc_full')).toBe(true);
  const left = await db
    .selectFrom('events')
    .select('payload')
    .where('accountId', '=', 'acc_full')
    .orderBy('id')
    .execute();
  expect([left[0], left.at(-1)]).toEqual([{ payload: { n: 100 } }, { payload: { n: 254 } }]);
  expect(await countRows(db, 'events', { accountId: 'acc_other' })).toBe(10);

  await deleteRows(db, 'events', { accountId: 'acc_full' });
  await look();
  await fill(store, 'acc_full', 255);
  await look();
  expect(full).toEqual(['acc_full', 'acc_full']);
});

test('an account writes as fast as conversations do, and no faster', async () => {
  const clock = new ManualClock();
  const { quota } = await smallStore(clock);
  for (let n = 0; n < 1_000; n++) quota.assertMayWrite('acc_1');
  expect(() => quota.assertMayWrite('acc_1')).toThrow(
    expect.objectContaining({ code: 'too_many_attempts', retryAfterS: 1 }),
  );
  quota.assertMayWrite('acc_2');
  clock.advance(100);
  for (let n = 0; n < 5; n++) quota.assertMayWrite('acc_1');
  expect(quota.takeTurn('acc_1')).toBe(20);
  expect(quota.refused).toEqual({ account_full: 0, reserve_full: 0, too_fast: 1 });
});
