import { expect, test } from 'vitest';
import { isoAfter } from '../../../../src/base/time.ts';
import { takeSnapshot } from '../../../../src/messaging/inbox/inbox.ts';
import { readDelta } from '../../../../src/messaging/inbox/inbox-delta.ts';
import { insertRow } from '../../../../src/store/database/rows.ts';
import { beginRequest } from '../../../../src/store/keys/idempotent-requests.ts';
import { parseCursor, positionOf } from '../../../../src/store/messages/cursor.ts';
import { appendEvent, eventsOfAgents } from '../../../../src/store/messages/events.ts';
import { deleteOldestMessages } from '../../../../src/store/messages/messages.ts';
import { Retention } from '../../../../src/store/messages/retention.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { answer, messagingWorld, write } from '../../messaging/messaging-world.ts';
import { seedAccount, temporaryStore } from '../temporary.ts';

const DAY_MS = 86_400_000;

test('events older than 30 days are deleted at start and every day, in batches', async () => {
  const { db } = await temporaryStore();
  const owner = await seedAccount({ db } as never, 'a');
  const clock = new ManualClock();
  const daysAgo = (days: number) => new Date(Date.parse(clock.nowIso()) - days * DAY_MS).toISOString();
  const append = (n: number, createdAt: string) =>
    appendEvent(db, { ...owner, type: 'call_state', payload: { n }, createdAt });
  for (let i = 0; i < 250; i++) await append(0, daysAgo(31));
  await append(1, daysAgo(29.5));
  await append(2, daysAgo(0));
  const kept = async () =>
    (await eventsOfAgents(db, { ...owner, agentIds: [owner.agentId], platforms: null }, 0, 1_000)).map(
      ({ payload }) => payload.n,
    );

  const failures: unknown[] = [];
  const retention = new Retention(db, clock, { messagesMs: null, callsMs: null }, (error) =>
    failures.push(error),
  );
  retention.start();
  await waitFor('the first sweep', async () => (await kept()).join() === '1,2');
  clock.advance(DAY_MS);
  await waitFor('the second sweep', async () => (await kept()).join() === '2');
  await retention.close();
  clock.advance(60 * DAY_MS);
  expect(await kept()).toEqual([2]);
  expect(failures).toEqual([]);
});

test('keys are deleted 30 days after they were revoked, and others never', async () => {
  const { db } = await temporaryStore();
  const { accountId } = await seedAccount({ db } as never, 'a');
  const clock = new ManualClock();
  const daysAgo = (days: number) => new Date(Date.parse(clock.nowIso()) - days * DAY_MS).toISOString();
  const insert = (name: string, revokedAt: string | null) =>
    insertRow(db, 'apiKeys', {
      id: `key_${name}`,
      accountId,
      kind: 'settings',
      hash: name,
      keyPrefix: 'svc_',
      name,
      createdAt: daysAgo(400),
      lastUsedAt: null,
      revokedAt,
    });
  for (let n = 0; n < 150; n++) await insert(`old ${n}`, daysAgo(31));
  await insert('revoked lately', daysAgo(29));
  await insert('valid', null);
  const failures: unknown[] = [];
  const retention = new Retention(db, clock, { messagesMs: null, callsMs: null }, (error) =>
    failures.push(error),
  );
  retention.start();
  const kept = async () =>
    (await db.selectFrom('apiKeys').select('name').orderBy('name').execute()).map(({ name }) => name);
  await waitFor('the sweep', async () => (await kept()).join() === 'revoked lately,valid');
  await retention.close();
  expect(failures).toEqual([]);
});

test('stored answers are deleted after a day, and no others', async () => {
  const store = await temporaryStore();
  const { db, secrets } = store;
  const { accountId } = await seedAccount(store, 'a');
  const clock = new ManualClock();
  const hoursAgo = (hours: number) => new Date(Date.parse(clock.nowIso()) - hours * 3_600_000).toISOString();
  const begin = (credentialId: string, key: string, at: string) =>
    beginRequest(db, secrets, { accountId, credentialId, key }, { fingerprint: 'x', nowIso: at });
  for (let i = 0; i < 150; i++) await begin('key_1', `old ${i}`, hoursAgo(25));
  await begin('key_1', 'young', hoursAgo(23));
  // The same key of another credential is another request.
  await begin('key_2', 'old 7', hoursAgo(1));
  const kept = () => db.selectFrom('idempotentRequests').select(['credentialId', 'key']).execute();

  const failures: unknown[] = [];
  const retention = new Retention(db, clock, { messagesMs: null, callsMs: null }, (error) =>
    failures.push(error),
  );
  retention.start();
  await waitFor('the sweep', async () => (await kept()).length === 2);
  expect(await kept()).toEqual([
    { credentialId: 'key_1', key: 'young' },
    { credentialId: 'key_2', key: 'old 7' },
  ]);
  await retention.close();
  expect(failures).toEqual([]);
});

test('messages are deleted after the configured days, but not those in flight', async () => {
  const world = await messagingWorld();
  const { store, clock, reading, scope } = world;
  const { db } = store;
  const texts = async () =>
    (await db.selectFrom('messages').select('text').orderBy('seq').execute()).map(({ text }) => text).join();
  const startIso = clock.nowIso();
  await write(world, '1', { text: 'old' });
  await answer(world, '1', { text: 'waits', status: 'pending', expiresAt: isoAfter(startIso, 7 * DAY_MS) });
  clock.advance(DAY_MS);
  await write(world, '2', { text: 'young' });
  const { cursor } = await takeSnapshot(reading, scope, { status: null, limit: 50, offset: 0 });
  expect(await deleteOldestMessages(db, startIso, 100), 'of that very moment').toBe(0);
  clock.advance(DAY_MS);

  const failures: unknown[] = [];
  const retention = new Retention(db, clock, { messagesMs: DAY_MS + 1, callsMs: null }, (error) =>
    failures.push(error),
  );
  retention.start();
  await waitFor('the first sweep', async () => (await texts()) === 'waits,young');
  clock.advance(DAY_MS);
  await waitFor('the second sweep', async () => (await texts()) === 'waits');
  await retention.close();

  // A client that continues from a deleted message gets what arrived since, once.
  await write(world, '1', { text: 'new' });
  const read = parseCursor(cursor)!;
  const position = await positionOf(db, scope.accountId, read);
  const question = {
    scope,
    cursor: read,
    position,
    platform: undefined,
    peer: { peer: '', task: '' },
    limit: 50,
  };
  const { groups } = await readDelta(reading, question);
  expect(groups.flatMap(({ messages }) => messages.map(({ text }) => text))).toEqual(['new']);
  const { previews } = await takeSnapshot(reading, scope, { status: null, limit: 50, offset: 0 });
  expect(previews.map(({ lastMessage }) => lastMessage?.text ?? null)).toEqual(['new', null]);
  expect(failures).toEqual([]);
});
