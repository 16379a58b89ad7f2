import { expect, test } from 'vitest';
import { directAddress, type LoginRef } from '../../../src/base/address.ts';
import { feedStart, readFeed } from '../../../src/messaging/inbox/feed.ts';
import { readDetail } from '../../../src/messaging/inbox/inbox.ts';
import { activeConversation } from '../../../src/messaging/outbox/dm-request.ts';
import { addressOf } from '../../../src/messaging/outbox/stored-message.ts';
import { makeOwnerCode, markOwner } from '../../../src/messaging/owner/bot-owner.ts';
import { newestConnection, newestOwnedBot } from '../../../src/store/agents/test-targets.ts';
import { insertRow, takeRow } from '../../../src/store/database/rows.ts';
import { insertMessage } from '../../../src/store/messages/messages.ts';
import { listUnanswered } from '../../../src/store/messages/outbound-messages.ts';
import { unauthenticatedActor } from '../../../src/store/people/audit-log.ts';
import { NOW } from '../store/temporary.ts';
import {
  bindChannel,
  channelAddress,
  invite,
  ownLogin,
  PAGE,
  SHARED,
  said,
  say,
  shown,
} from './channel-messages.ts';
import { messagingWorld, write, written } from './messaging-world.ts';

test('two people in one channel are in one conversation, which names who wrote what', async () => {
  const world = await messagingWorld();
  await say(world, 'C1', 'U1', { text: 'one' });
  await say(world, 'C1', 'U2', { text: 'two' });
  await say(world, 'C1', 'U1', { text: 'three', remoteName: '#renamed' });
  expect(await shown(world)).toEqual([
    {
      place: ['channel', 'C1', null],
      name: '#renamed',
      messages: [
        ['one', 'U1', 'Name of U1'],
        ['two', 'U2', 'Name of U2'],
        ['three', 'U1', 'Name of U1'],
      ],
    },
  ]);
});

test('a person’s direct conversation, their channel and a channel with the same id are apart', async () => {
  const world = await messagingWorld();
  await write(world, 'U1', { text: 'direct' });
  await say(world, 'C1', 'U1', { text: 'in the channel' });
  await say(world, 'U1', 'U1', { text: 'in a channel named like the person' });
  expect((await shown(world)).reverse()).toMatchObject([
    { place: ['direct', 'U1', null], name: 'Name of U1', messages: [['direct', null, null]] },
    { place: ['channel', 'C1', null], messages: [['in the channel', 'U1', 'Name of U1']] },
    {
      place: ['channel', 'U1', null],
      messages: [['in a channel named like the person', 'U1', 'Name of U1']],
    },
  ]);
});

test('each thread is a conversation, in channels and in direct conversations', async () => {
  const world = await messagingWorld();
  const login = ownLogin(world);
  for (const thread of [null, 't1', 't2', 't1'])
    await world.intake.received(said(channelAddress(login, 'C1', 'U1', thread), { text: `${thread}` }));
  const direct = directAddress(login, 'U1');
  for (const thread of [null, 't1'])
    await world.intake.received(said({ ...direct, thread }, { text: 'direct' }));
  expect((await shown(world)).map(({ place, messages }) => [...place, messages.length]).sort()).toEqual([
    ['channel', 'C1', null, 1],
    ['channel', 'C1', 't1', 2],
    ['channel', 'C1', 't2', 1],
    ['direct', 'U1', null, 1],
    ['direct', 'U1', 't1', 1],
  ]);
});

test('a message to a channel goes to the channel, in its thread, and to nobody in particular', async () => {
  const world = await messagingWorld();
  const { store, scope } = world;
  const login = ownLogin(world);
  await world.intake.received(said(channelAddress(login, 'C1', 'U1', 't1')));
  const wanted = { platform: 'telegram', conversationId: null } as const;
  const newest = await activeConversation(store.db, scope, wanted);
  const space = { kind: 'channel', id: 'C1' };
  expect(await addressOf(store.db, newest)).toEqual({ login, space, thread: 't1', person: null });
  await write(world, 'U1');
  const direct = await activeConversation(store.db, scope, wanted);
  expect(await addressOf(store.db, direct)).toEqual(directAddress(login, 'U1'));
  const { conversation } = await readDetail(
    world.reading,
    scope,
    { platform: 'telegram', status: 'active', peer: '#c1', task: '' },
    PAGE,
  );
  expect(conversation).toMatchObject({ id: newest.id, kind: 'channel', thread: 't1' });
});

test('the feed tells of a channel what the inbox tells', async () => {
  const world = await messagingWorld();
  const start = await feedStart(world.reading, world.scope, null);
  await world.intake.received(said(channelAddress(ownLogin(world), 'C1', 'U1', 't1'), { text: 'hi' }));
  const { events } = await readFeed(world.reading, world.scope, start.from, 10);
  expect(events).toMatchObject([
    {
      kind: 'message',
      conversation: { kind: 'channel', thread: 't1', peer: { remoteId: 'C1', remoteName: '#C1' } },
      message: { text: 'hi', sender: { id: 'U1', name: 'Name of U1' } },
    },
  ]);
});

test('a repeated message is stored once, and the same id in another thread is another message', async () => {
  const world = await messagingWorld();
  const message = said(channelAddress(ownLogin(world), 'C1', 'U1'));
  expect(await world.intake.received(message)).toBe('stored');
  expect(await world.intake.received(message)).toBe('duplicate');
  const elsewhere = { ...message, from: { ...message.from, thread: 't1' } };
  expect(await world.intake.received(elsewhere)).toBe('stored');
  expect(await world.intake.received(elsewhere)).toBe('duplicate');
});

test('an edit finds its message in its channel and thread only', async () => {
  const world = await messagingWorld();
  const login = ownLogin(world);
  const inThread = said(channelAddress(login, 'C1', 'U1', 't1'), { platformMessageId: '7', text: 'thread' });
  const outside = said(channelAddress(login, 'C1', 'U1'), { platformMessageId: '7', text: 'outside' });
  await world.intake.received(inThread);
  await world.intake.received(outside);
  await world.intake.edited(inThread.from, '7', 'edited');
  await world.intake.edited(channelAddress(login, 'C2', 'U1'), '7', 'wrong channel');
  await world.intake.edited(directAddress(login, 'C1'), '7', 'wrong kind');
  expect((await shown(world)).map(({ messages }) => messages[0]?.[0]).sort()).toEqual(['edited', 'outside']);
});

test('a channel that the login has left is closed with all its threads, and nothing else', async () => {
  const world = await messagingWorld();
  const login = ownLogin(world);
  for (const thread of [null, 't1'])
    await world.intake.received(said(channelAddress(login, 'C1', 'U1', thread)));
  await say(world, 'C2', 'U1');
  await write(world, 'C1');
  await world.intake.reachable(channelAddress(login, 'C1', 'U1'), false);
  const open = async () => {
    const rows = await world.store.db
      .selectFrom('conversations')
      .selectAll()
      .where('status', '=', 'active')
      .execute();
    return rows.map(({ spaceKind, remoteId, thread }) => `${spaceKind} ${remoteId} ${thread}`).sort();
  };
  expect(await open()).toEqual(['channel C2 ', 'direct C1 ']);
  await say(world, 'C1', 'U2');
  expect(await open()).toEqual(['channel C1 ', 'channel C2 ', 'direct C1 ']);
});

test('a channel with a new id keeps its conversations, unless the new id has one already', async () => {
  const world = await messagingWorld();
  const login = ownLogin(world);
  for (const thread of [null, 't1'])
    await world.intake.received(said(channelAddress(login, 'C1', 'U1', thread)));
  await say(world, 'C2', 'U1');
  await world.intake.renamed(channelAddress(login, 'C1', 'U1'), 'C2', null);
  expect((await shown(world)).map(({ place }) => place.join(' ')).sort()).toEqual([
    'channel C1 ',
    'channel C2 ',
    'channel C2 t1',
  ]);
});

test('a connection that is a login itself receives for its account; one that links a person does not', async () => {
  const world = await messagingWorld();
  const { store, accountId, agentId, intake } = world;
  const row = {
    accountId,
    provider: 'telegram',
    email: null,
    label: 'x',
    status: 'ok',
    createdAt: NOW,
    updatedAt: NOW,
  };
  await insertRow(store.db, 'connections', {
    ...{ ...row, id: 'con_own', loginKey: null, remoteId: 'U9' },
    sealedCredentials: '',
  });
  await insertRow(store.db, 'connections', {
    ...{ ...row, id: 'con_link', loginKey: 'shared', remoteId: 'U1' },
    sealedCredentials: '',
  });
  for (const memberId of ['con_own', 'con_link'])
    await store.db
      .insertInto('agentAccounts')
      .values({ agentId, memberType: 'connection', memberId })
      .execute();
  const own: LoginRef = { kind: 'connection', id: 'con_own' };
  expect(await intake.received({ ...written(null, 'U1'), from: directAddress(own, 'U1') })).toBe('stored');
  expect(await intake.received(said(channelAddress(own, 'C1', 'U1')))).toBe('stored');
  const link: LoginRef = { kind: 'connection', id: 'con_link' };
  expect(await intake.received({ ...written(null, 'U1'), from: directAddress(link, 'U1') })).toBe('unbound');
  const newest = await activeConversation(store.db, world.scope, {
    platform: 'telegram',
    conversationId: null,
  });
  expect((await addressOf(store.db, newest))?.login).toEqual(own);
  // Gone with its connection.
  await takeRow(store.db, 'connections', { accountId, id: 'con_own' });
  expect(await addressOf(store.db, newest)).toBeNull();
  expect(await intake.received(said(channelAddress(own, 'C1', 'U1')))).toBe('unbound');
});

test('a status report concerns the messages of its own login', async () => {
  const { store, accountId, intake, clock } = await messagingWorld();
  const row = { accountId, provider: 'telegram', email: null, label: 'x', status: 'ok' };
  const dates = { createdAt: NOW, updatedAt: NOW };
  const logins = { con_1: null, con_2: null, con_3: 'shared' } as const;
  const sent = new Map<string, string>();
  for (const [id, loginKey] of Object.entries(logins)) {
    await insertRow(store.db, 'connections', {
      ...{ ...row, ...dates, id, loginKey, remoteId: 'U1' },
      sealedCredentials: '',
    });
    const login: LoginRef = loginKey === null ? { kind: 'connection', id } : SHARED;
    await intake.received({ ...written(null, 'U1'), from: directAddress(login, 'U1') });
    const { id: conversationId } = await store.db
      .selectFrom('conversations')
      .select('id')
      .where('memberId', '=', id)
      .executeTakeFirstOrThrow();
    const outbound = {
      direction: 'outbound',
      status: 'delivered',
      senderAgentId: null,
      expiresAt: null,
    } as const;
    const message = { ...outbound, id: `msg_${id}`, accountId, conversationId, text: '', fileIds: [] };
    await store.db.transaction().execute(async (trx) => {
      await insertMessage(trx, { ...message, platformMessageIds: ['p1'] }, clock.nowIso());
    });
    sent.set(id, message.id);
  }
  const failed = async () =>
    (
      await store.db
        .selectFrom('messages')
        .select('id')
        .where('status', '=', 'failed')
        .orderBy('id')
        .execute()
    ).map(({ id }) => id);
  const report = { platformMessageId: 'p1', messageId: null };
  await intake.followed({ kind: 'connection', id: 'con_2' }, report, { kind: 'failed', reason: 'x' });
  expect(await failed()).toEqual([sent.get('con_2')]);
  await intake.followed(SHARED, report, { kind: 'failed', reason: 'x' });
  expect(await failed()).toEqual([sent.get('con_2'), sent.get('con_3')]);
});

test('a one-time code in a channel makes nobody the owner of the bot', async () => {
  const world = await messagingWorld();
  const { store, clock, accountId, botId } = world;
  const actor = unauthenticatedActor(accountId);
  const { code } = await makeOwnerCode({ store, clock }, actor, 'telegram', null);
  await say(world, 'C1', 'U1', { text: code });
  expect(world.owned).toEqual([]);
  const newest = await activeConversation(store.db, world.scope, {
    platform: 'telegram',
    conversationId: null,
  });
  await expect(markOwner({ store, clock }, actor, 'telegram', newest.id)).rejects.toMatchObject({
    code: 'owner_in_channel',
  });
  expect(await newestOwnedBot(store.db, accountId, 'telegram', botId)).toBeUndefined();
});

test('a test message never goes to a channel', async () => {
  const world = await messagingWorld();
  const { store, accountId } = world;
  await bindChannel(world, accountId, { id: 'C1', person: 'U1' });
  expect(await newestConnection(store.db, accountId, 'telegram', null)).toBeUndefined();
});

test('the reply timer after a restart is for direct conversations', async () => {
  const world = await messagingWorld();
  await say(world, 'C1', 'U1');
  expect(world.received).toMatchObject([{ spaceKind: 'channel' }]);
  expect(await listUnanswered(world.store.db, '2000')).toEqual([]);
  await write(world, 'U1');
  expect(await listUnanswered(world.store.db, '2000')).toHaveLength(1);
});

test('names of 64 KB are shortened, and ids of 64 KB are kept whole', async () => {
  const world = await messagingWorld();
  const long = '𝕏'.repeat(16_384);
  const id = 'i'.repeat(65_536);
  await say(world, id, `u${id}`, { remoteName: long, senderName: long });
  await say(world, `${id}2`, `u${id}`, { remoteName: '', senderName: '' });
  const [second, first] = await shown(world);
  expect(first?.place[1]).toBe(id);
  expect([...first!.name!]).toHaveLength(256);
  expect(first!.name).toMatch(/^(?:𝕏){255}…$/u);
  expect(first!.messages[0]?.[1]).toBe(`u${id}`);
  expect([...first!.messages[0]![2]!]).toHaveLength(256);
  expect([second?.name, second?.messages[0]?.[2]]).toEqual([null, null]);
  await invite(world, world.accountId, 'token-1');
  await world.intake.bind(channelAddress(SHARED, 'C1', 'U1'), long, 'token-1');
  const { label } = await world.store.db.selectFrom('connections').select('label').executeTakeFirstOrThrow();
  expect([...label]).toHaveLength(256);
});
