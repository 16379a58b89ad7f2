import { expect, test } from 'vitest';
import type { CallsTable } from '../../../../src/store/messages/message-tables.ts';
import { countUsage, usageSince } from '../../../../src/store/people/usage.ts';
import type { Store } from '../../../../src/store/store.ts';
import { seedAccount, temporaryStore } from '../temporary.ts';

let serial = 0;
const SILENT = { spokenCharacters: 0, spokenMs: 0, heardMs: 0 };

/** A call that began then, with the fields that usage reads. One with an end has ended since. */
async function call(store: Store, accountId: string, fields: Partial<CallsTable>): Promise<void> {
  serial++;
  const row = {
    callId: `call_${serial}`,
    accountId,
    agentId: null,
    roomId: '',
    participantId: '',
    platform: 'sip',
    meetingUrl: '',
    agentName: '',
    direction: 'outbound',
    caller: '',
    sampleRateHz: 8000,
    state: 'ended',
    createdAt: '2026-03-01T12:00:00.000Z',
    ...fields,
  } as const;
  await store.db
    .insertInto('calls')
    .values({ ...row, endedAt: null })
    .execute();
  const { endedAt = null } = fields;
  await store.db.updateTable('calls').set({ endedAt }).where('callId', '=', row.callId).execute();
}

test('usage counts ended and live calls, their minutes, messages and bytes', async () => {
  const store = await temporaryStore();
  const [a, b] = [await seedAccount(store, 'a'), await seedAccount(store, 'b')];
  // 90 s; one that was not answered; one that is still live and was answered 30 s ago.
  await call(store, a.accountId, {
    answeredAt: '2026-03-01T12:00:10.250Z',
    endedAt: '2026-03-01T12:01:40.250Z',
  });
  // Only the first end counts.
  await store.db.updateTable('calls').set({ endedAt: '2026-03-01T13:00:00.000Z' }).execute();
  await call(store, a.accountId, { endedAt: '2026-03-01T12:05:00.000Z' });
  await call(store, a.accountId, {
    createdAt: '2026-03-02T09:59:00.000Z',
    answeredAt: '2026-03-02T09:59:30.000Z',
    state: 'active',
  });
  await call(store, a.accountId, { createdAt: '2026-02-28T23:59:59.999Z' });
  await call(store, b.accountId, {});
  const counters = { accountId: a.accountId, messages: 3, bytes: 1_000, ...SILENT };
  await store.db
    .insertInto('usageDays')
    .values([
      { ...counters, platform: 'discord', day: '2026-03-01' },
      { ...counters, platform: 'discord', day: '2026-02-28' },
    ])
    .execute();
  await countUsage(store.db, { ...counters, platform: 'sip', day: '2026-03-01' });
  await store.db.deleteFrom('calls').where('endedAt', 'is not', null).execute();

  const usage = await usageSince(store.db, a.accountId, '2026-03-01', '2026-03-02T10:00:00.000Z');
  expect(usage).toEqual([
    { day: '2026-03-01', platform: 'discord', calls: 0, minutes: 0, messages: 3, bytes: 1_000, ...SILENT },
    {
      day: '2026-03-01',
      platform: 'sip',
      calls: 2,
      minutes: expect.closeTo(1.5),
      messages: 3,
      bytes: 1_000,
      ...SILENT,
    },
    {
      day: '2026-03-02',
      platform: 'sip',
      calls: 1,
      minutes: expect.closeTo(0.5),
      messages: 0,
      bytes: 0,
      ...SILENT,
    },
  ]);
});

test('an account without activity has no days', async () => {
  const store = await temporaryStore();
  const { accountId } = await seedAccount(store, 'a');
  expect(await usageSince(store.db, accountId, '2026-03-01', '2026-03-02T10:00:00.000Z')).toEqual([]);
});

test('counters add up by account, platform and day', async () => {
  const store = await temporaryStore();
  const [a, b] = [await seedAccount(store, 'a'), await seedAccount(store, 'b')];
  const day = '2026-03-01';
  const count = (accountId: string, platform: 'telegram' | 'slack', messages: number, bytes: number) =>
    countUsage(store.db, { accountId, platform, day, messages, bytes });
  await count(a.accountId, 'telegram', 1, 10);
  await count(a.accountId, 'telegram', 1, 5);
  await count(a.accountId, 'slack', 0, 7);
  await count(b.accountId, 'telegram', 2, 0);
  const usage = await usageSince(store.db, a.accountId, day, '2026-03-02T10:00:00.000Z');
  expect(usage.map(({ platform, messages, bytes }) => [platform, messages, bytes])).toEqual([
    ['slack', 0, 7],
    ['telegram', 2, 15],
  ]);
  const spoken = { spokenCharacters: 7, spokenMs: 400, heardMs: 1_000 };
  for (let i = 0; i < 2; i++)
    await countUsage(store.db, { accountId: a.accountId, platform: 'slack', day, ...spoken });
  await countUsage(store.db, { accountId: 'acc_gone', platform: 'slack', day, ...spoken });
  const [slack] = await usageSince(store.db, a.accountId, day, '2026-03-02T10:00:00.000Z');
  expect(slack).toMatchObject({ bytes: 7, spokenCharacters: 14, spokenMs: 800, heardMs: 2_000 });
});
