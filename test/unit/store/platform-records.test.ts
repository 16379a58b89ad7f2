import { expect, test } from 'vitest';
import { PlatformRecords } from '../../../src/store/logins/platform-records.ts';
import { fillAccount } from '../accounts/full-account.ts';
import { seedAccount, temporaryStore } from './temporary.ts';

/** Two accounts, each with a bot, a connection that links a person on Teams, and a message: `row_mine`, `row_other`. */
async function world() {
  const store = await temporaryStore();
  for (const name of ['mine', 'other']) {
    const tables = ['botTokens', 'connections', 'conversations', 'messages'] as const;
    await fillAccount(store, name, await seedAccount(store, name), tables);
  }
  const { db } = store;
  return { db, slack: new PlatformRecords(db, 'slack'), teams: new PlatformRecords(db, 'teams') };
}

test('a record is found by login, kind and key, replaced and deleted', async () => {
  const { slack, teams } = await world();
  const record = { loginKey: 'row_mine', kind: 'thing', key: 'a' };
  expect(await slack.put({ ...record, value: { n: 1 } })).toBe(true);
  expect(await slack.put({ ...record, value: { n: 2 } })).toBe(true);
  await slack.put({ ...record, key: 'b', value: 'text' });
  await slack.put({ ...record, kind: 'other', value: null });
  await slack.put({ ...record, loginKey: 'shared', value: true });
  expect(await slack.find('row_mine', 'thing', 'a')).toEqual({ n: 2 });
  expect(await slack.list('row_mine', 'thing')).toEqual([{ n: 2 }, 'text']);
  expect(await teams.find('row_mine', 'thing', 'a')).toBeNull();
  await slack.delete('row_mine', 'thing', 'a');
  expect(await slack.list('row_mine', 'thing')).toEqual(['text']);
  await slack.delete('row_mine');
  expect(await slack.list('row_mine', 'thing')).toEqual([]);
  expect(await slack.find('shared', 'thing', 'a')).toBe(true);
});

test('what is unique belongs to one login', async () => {
  const { slack } = await world();
  const record = { kind: 'identity', value: 1, unique: 'T1 U1' };
  expect(await slack.put({ ...record, loginKey: 'row_mine' })).toBe(true);
  expect(await slack.put({ ...record, loginKey: 'row_mine', value: 2 })).toBe(true);
  expect(await slack.put({ ...record, loginKey: 'row_other' })).toBe(false);
  expect(await slack.find('row_other', 'identity')).toBeNull();
  await slack.put({ ...record, loginKey: 'row_mine', unique: 'T1 U2' });
  expect(await slack.put({ ...record, loginKey: 'row_other' })).toBe(true);
});

test('a group is that of the connections of other accounts', async () => {
  const { slack } = await world();
  const record = { kind: 'identity', group: 'E1' };
  await slack.put({ ...record, loginKey: 'row_mine', value: 'mine' });
  await slack.put({ ...record, loginKey: 'row_other', value: 'theirs' });
  expect(await slack.ofOtherAccounts('row_mine', 'identity', 'E1')).toEqual(['theirs']);
  expect(await slack.ofOtherAccounts('row_mine', 'identity', 'E2')).toEqual([]);
});

test('a record goes with its bot or connection, its message, and the last connection to its space', async () => {
  const { db, slack, teams } = await world();
  await slack.put({ loginKey: 'row_mine', kind: 'thing', value: 1 });
  await teams.put({ loginKey: 'shared', kind: 'offer', key: 'x', messageId: 'row_mine', value: 1 });
  const space = { kind: 'direct', id: 'mine' } as const;
  await teams.put({ loginKey: 'shared', kind: 'space', space, value: 1 });
  expect(await teams.find('shared', 'space', 'direct mine')).toBe(1);
  await db.deleteFrom('messages').where('id', '=', 'row_mine').execute();
  expect(await teams.find('shared', 'offer', 'x')).toBeNull();
  await db.deleteFrom('accounts').where('id', '=', 'acc_mine').execute();
  expect(await slack.find('row_mine', 'thing')).toBeNull();
  expect(await teams.find('shared', 'space', 'direct mine')).toBeNull();
});

test('nothing is kept of what is gone', async () => {
  const { slack, teams } = await world();
  expect(await slack.put({ loginKey: 'bot_gone', kind: 'thing', value: 1 })).toBe(false);
  expect(await teams.put({ loginKey: 'shared', kind: 'offer', messageId: 'msg_gone', value: 1 })).toBe(false);
  const space = { kind: 'channel', id: 'mine' } as const;
  expect(await teams.put({ loginKey: 'shared', kind: 'space', space, value: 1 })).toBe(false);
});
