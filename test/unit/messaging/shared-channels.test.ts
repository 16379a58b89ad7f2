import { expect, test } from 'vitest';
import { directAddress } from '../../../src/base/address.ts';
import { insertRow } from '../../../src/store/database/rows.ts';
import { NOW, seedAccount } from '../store/temporary.ts';
import { bindChannel, channelAddress, invite, invites, SHARED, said } from './channel-messages.ts';
import { messagingWorld, written } from './messaging-world.ts';

test('the shared login serves a channel for the account to which it is bound, whoever writes', async () => {
  const world = await messagingWorld();
  const { intake, accountId, store } = world;
  const other = await seedAccount(store, 'b');
  const inChannel = channelAddress(SHARED, 'C1', 'U1');
  // Bound in their direct conversation: this says nothing about channels.
  await invite(world, other.accountId, 'token-u2');
  expect(await intake.bind(directAddress(SHARED, 'U2'), 'U2', 'token-u2')).toBe(true);
  expect(await intake.received(said(channelAddress(SHARED, 'C1', 'U2')))).toBe('unbound');

  await invite(world, accountId, 'token-1');
  expect(await intake.bind(inChannel, '#general', 'token-1')).toBe(true);
  for (const person of ['U1', 'U2', 'U3'])
    expect(await intake.received(said(channelAddress(SHARED, 'C1', person)))).toBe('stored');
  const rows = await store.db.selectFrom('messages').select('accountId').distinct().execute();
  expect(rows).toEqual([{ accountId }]);
  // The direct conversations are as they were.
  expect(await intake.received({ ...written(null, 'U1') })).toBe('unbound');
  expect(await intake.received({ ...written(null, 'U2') })).toBe('stored');
  const [label] = await store.db
    .selectFrom('connections')
    .select('label')
    .where('remoteId', '=', 'C1')
    .execute();
  expect(label).toEqual({ label: '#general' });
});

test('a member of a channel cannot take it to another account, and keeps the token', async () => {
  const world = await messagingWorld();
  const { intake, accountId, store } = world;
  const other = await seedAccount(store, 'b');
  await bindChannel(world, accountId, { id: 'C1', person: 'U1' });
  await invite(world, other.accountId, 'token-2');
  expect(await intake.bind(channelAddress(SHARED, 'C1', 'U2'), null, 'token-2')).toBe(false);
  expect(await intake.bind(channelAddress(SHARED, 'C1', 'U2', 't1'), null, 'token-2')).toBe(false);
  expect(await invites(world)).toEqual([{ accountId: other.accountId }]);
  await intake.received(said(channelAddress(SHARED, 'C1', 'U2')));
  const rows = await store.db.selectFrom('messages').select('accountId').execute();
  expect(rows).toEqual([{ accountId }]);
  // It is still good for a channel of their own, and for nothing else then.
  expect(await intake.bind(channelAddress(SHARED, 'C2', 'U2'), null, 'token-2')).toBe(true);
  expect(await intake.bind(channelAddress(SHARED, 'C3', 'U2'), null, 'token-2')).toBe(false);
  // The owner may bind it again, for example to give it a name.
  await invite(world, accountId, 'token-3');
  expect(await intake.bind(channelAddress(SHARED, 'C1', 'U1'), '#one', 'token-3')).toBe(true);
  expect(await store.db.selectFrom('connections').select('id').execute()).toHaveLength(2);
});

test('the database holds one binding of a channel, however it is written', async () => {
  const { store, accountId } = await messagingWorld();
  const other = await seedAccount(store, 'b');
  const row = { provider: 'slack', email: null, label: '', status: 'ok', createdAt: NOW, updatedAt: NOW };
  const bound = { ...row, loginKey: 'shared', remoteId: 'C1', spaceKind: 'channel' } as const;
  await insertRow(store.db, 'connections', {
    ...{ ...bound, accountId, id: 'con_1' },
    sealedCredentials: '',
  });
  const second = { ...bound, accountId: other.accountId, id: 'con_2' };
  await expect(insertRow(store.db, 'connections', { ...second, sealedCredentials: '' })).rejects.toThrow(
    'UNIQUE',
  );
  await insertRow(store.db, 'connections', { ...{ ...second, spaceKind: 'direct' }, sealedCredentials: '' });
});

test('a bound channel that gets the id of another account’s channel stays away from it', async () => {
  const world = await messagingWorld();
  const { intake, accountId, store } = world;
  const other = await seedAccount(store, 'b');
  await bindChannel(world, accountId, { id: 'C1', person: 'U1' });
  await bindChannel(world, other.accountId, { id: 'C2', person: 'U2' });
  await intake.renamed(channelAddress(SHARED, 'C1', 'U1'), 'C2', null);
  await intake.received(said(channelAddress(SHARED, 'C2', 'U2')));
  const rows = await store.db.selectFrom('messages').select('accountId').execute();
  expect(rows).toEqual([{ accountId: other.accountId }]);
});
