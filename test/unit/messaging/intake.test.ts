import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Address, directAddress } from '../../../src/base/address.ts';
import { hashToken } from '../../../src/base/ids.ts';
import { isoAfter } from '../../../src/base/time.ts';
import { platformIntake } from '../../../src/messaging/intake/platform-intake.ts';
import { countRows, findRow, putRow } from '../../../src/store/database/rows.ts';
import { noteEarlyEdit } from '../../../src/store/messages/early-edits.ts';
import { addPlatformMessageIds } from '../../../src/store/messages/messages.ts';
import { changeMessageStatus } from '../../../src/store/messages/outbound-messages.ts';
import { Retention } from '../../../src/store/messages/retention.ts';
import { usageSince } from '../../../src/store/people/usage.ts';
import type { Store } from '../../../src/store/store.ts';
import { waitFor } from '../../support/wait-for.ts';
import { seedAccount } from '../store/temporary.ts';
import { answer, messagingWorld, seedBot, type World, write, written } from './messaging-world.ts';

const shared = (remoteId: string): Address => directAddress({ kind: 'shared' }, remoteId);

const messagesIn = ({ db }: Store) => db.selectFrom('messages').selectAll().orderBy('seq').execute();
const conversationsIn = ({ db }: Store) =>
  db.selectFrom('conversations').selectAll().orderBy('createdAt').orderBy('id').execute();
const eventsIn = ({ db }: Store) => db.selectFrom('events').selectAll().orderBy('id').execute();

/** Makes `token` the account's invite link. */
async function invite({ store, clock }: World, accountId: string, token: string): Promise<void> {
  const createdAt = clock.nowIso();
  const link = { accountId, tokenHash: hashToken(token), createdAt, expiresAt: isoAfter(createdAt, 900_000) };
  await putRow(store.db, 'inviteLinks', link, { key: ['accountId'] });
}

test('a message is stored with its conversation, event and usage, and announced after the commit', async () => {
  const world = await messagingWorld();
  const { store, accountId, agentId, botId, wakeups } = world;
  let woken = 0;
  wakeups.watch(accountId, () => (woken += 1));
  const sentAt = '2029-12-31T23:59:00.000Z';
  expect(await write(world, '42', { text: 'hello', sentAt })).toBe('stored');

  const [conversation] = await conversationsIn(store);
  expect(conversation).toMatchObject({
    accountId,
    platform: 'telegram',
    memberType: 'bot_token',
    memberId: botId,
    remoteId: '42',
    remoteName: 'Name of 42',
    status: 'active',
    lastInboundAt: sentAt,
  });
  const [message] = await messagesIn(store);
  expect(message).toMatchObject({
    direction: 'inbound',
    status: 'received',
    text: 'hello',
    senderAgentId: null,
  });
  expect(conversation?.lastSeq).toBe(message?.seq);
  const [event, ...others] = await eventsIn(store);
  expect(event).toMatchObject({ agentId, type: 'dm_chat', messageSeq: message?.seq });
  // The message is stored in one place only.
  expect(event?.payload).not.toContain('hello');
  expect(others).toEqual([]);
  const day = world.clock.nowIso().slice(0, 10);
  expect(await usageSince(store.db, accountId, day, world.clock.nowIso())).toMatchObject([
    { platform: 'telegram', messages: 1 },
  ]);
  expect(world.received).toEqual([
    {
      platform: 'telegram',
      accountId,
      conversationId: conversation?.id,
      spaceKind: 'direct',
      messageId: message?.id,
      messageSeq: message?.seq,
    },
  ]);
  await turn();
  expect(woken).toBe(1);
});

test('a repeated message is stored once, as its first copy', async () => {
  const world = await messagingWorld();
  const message = written(world.botId, '42');
  const outcomes = await Promise.all([message, message, message].map((copy) => world.intake.received(copy)));
  expect(outcomes.sort()).toEqual(['duplicate', 'duplicate', 'stored']);
  expect(await messagesIn(world.store)).toHaveLength(1);
  expect(await eventsIn(world.store)).toHaveLength(1);
  expect(world.received).toHaveLength(1);
  // Ids are unique only within a conversation.
  expect(await world.intake.received({ ...message, from: directAddress(message.from.login, '43') })).toBe(
    'stored',
  );
});

test('a message to an unknown bot, or from an unbound person, is not stored', async () => {
  const world = await messagingWorld();
  expect(await world.intake.received(written('bot_none', '42'))).toBe('unbound');
  expect(await world.intake.received(written(null, '42'))).toBe('unbound');
  // A bot of another platform.
  const whatsapp = platformIntake({ ...world.domain, platform: 'whatsapp' });
  expect(await whatsapp.received(written(world.botId, '42'))).toBe('unbound');
  expect(await messagesIn(world.store)).toEqual([]);
});

test('the time of messages never runs backwards, even if the clock does', async () => {
  const world = await messagingWorld();
  world.clock.advance(10_000);
  await write(world, '1');
  const later = world.clock.nowIso();
  Object.assign(world.domain, { clock: { ...world.clock, nowIso: () => '2030-01-01T00:00:00.000Z' } });
  await write(world, '1');
  const times = (await messagesIn(world.store)).map(({ createdAt }) => createdAt);
  expect(times).toEqual([later, later]);
});

test('an attachment that is not kept leaves a stub in the text', async () => {
  const world = await messagingWorld();
  const file = { name: 'a.bin', mime: 'application/octet-stream', sizeBytes: 30_000_000, ref: null };
  await write(world, '1', { text: 'look', files: [file, file] });
  await write(world, '1', { text: '', files: [file] });
  expect((await messagesIn(world.store)).map(({ text }) => text)).toEqual([
    'look\n[attachment too large]\n[attachment too large]',
    '[attachment too large]',
  ]);
});

test('every agent that has the bot gets a message once, by the same event', async () => {
  const world = await messagingWorld();
  const { db } = world.store;
  const agent = { id: 'agt_2', accountId: world.accountId, name: 'Second', isDefault: false } as const;
  await db
    .insertInto('agents')
    .values({ ...agent, createdAt: world.clock.nowIso() })
    .execute();
  const membership = { agentId: 'agt_2', memberType: 'bot_token', memberId: world.botId } as const;
  await db.insertInto('agentAccounts').values(membership).execute();
  await write(world, '1');
  const events = await eventsIn(world.store);
  expect(events.map(({ agentId }) => agentId).sort()).toEqual([world.agentId, 'agt_2'].sort());
  expect(new Set(events.map(({ payload }) => JSON.stringify(payload))).size).toBe(1);
});

test('a person can get another id, and is also found by an older one', async () => {
  const world = await messagingWorld();
  await write(world, '+33123456789');
  await write(world, 'user-1', { alias: '+33123456789' });
  await write(world, 'user-1');
  const [conversation, ...others] = await conversationsIn(world.store);
  expect(others).toEqual([]);
  expect(conversation).toMatchObject({ remoteId: 'user-1', alias: '+33123456789' });
  await world.intake.renamed(directAddress({ kind: 'bot_token', id: world.botId }, 'user-1'), 'user-2', null);
  await write(world, 'user-2');
  expect(await conversationsIn(world.store)).toHaveLength(1);
});

test('an invite token binds a person to its account, once', async () => {
  const world = await messagingWorld();
  const { store, accountId, agentId, intake } = world;
  await invite(world, accountId, 'token-1');
  expect(await intake.bind(shared('7'), 'Eve', 'wrong')).toBe(false);
  expect(await intake.bind(shared('7'), 'Eve', 'token-1')).toBe(true);
  expect(await intake.bind(shared('8'), 'Mallory', 'token-1')).toBe(false);

  const [connection, ...others] = await store.db.selectFrom('connections').selectAll().execute();
  expect(others).toEqual([]);
  expect(connection).toMatchObject({
    accountId,
    provider: 'telegram',
    loginKey: 'shared',
    remoteId: '7',
    label: 'Eve',
    status: 'ok',
  });
  const members = await store.db.selectFrom('agentAccounts').selectAll().execute();
  expect(members).toContainEqual({ agentId, memberType: 'connection', memberId: connection?.id });
  expect(world.followed).toEqual([accountId]);
  expect(await conversationsIn(store)).toMatchObject([{ remoteId: '7', status: 'active' }]);
  expect(await intake.received(written(null, '7'))).toBe('stored');
  expect(await conversationsIn(store)).toHaveLength(1);
});

test('an expired token binds no one', async () => {
  const world = await messagingWorld();
  await invite(world, world.accountId, 'token-1');
  world.clock.advance(900_000);
  expect(await world.intake.bind(shared('7'), null, 'token-1')).toBe(false);
});

test('a person bound to several accounts writes to the most recent one', async () => {
  const world = await messagingWorld();
  const { store, accountId, intake, clock } = world;
  const other = await seedAccount(store, 'b');
  const bindTo = async (owner: string) => {
    clock.advance(1_000);
    await invite(world, owner, `token of ${owner} at ${clock.nowIso()}`);
    await intake.bind(shared('7'), 'Eve', `token of ${owner} at ${clock.nowIso()}`);
  };
  const writes = async () => {
    clock.advance(1_000);
    await intake.received(written(null, '7'));
    return (await messagesIn(store)).at(-1)?.accountId;
  };
  await bindTo(accountId);
  expect(await writes()).toBe(accountId);
  await bindTo(other.accountId);
  expect(await writes()).toBe(other.accountId);
  expect(await writes()).toBe(other.accountId);
  // Bound again: the existing connection is used.
  await bindTo(accountId);
  expect(await writes()).toBe(accountId);
  expect(await store.db.selectFrom('connections').select('id').execute()).toHaveLength(2);
});

test('a repeated message is recognized although its person now writes to another account', async () => {
  const world = await messagingWorld();
  const other = await seedAccount(world.store, 'b');
  await invite(world, world.accountId, 'token-1');
  await world.intake.bind(shared('7'), 'Eve', 'token-1');
  const message = written(null, '7');
  await world.intake.received(message);
  world.clock.advance(1_000);
  await invite(world, other.accountId, 'token-2');
  await world.intake.bind(shared('7'), 'Eve', 'token-2');
  expect(await world.intake.received(message)).toBe('duplicate');
});

test('a person who floods the shared bot is not stored beyond what people write, and others are', async () => {
  const world = await messagingWorld();
  const { intake, clock, store } = world;
  const other = await seedAccount(store, 'b');
  await invite(world, world.accountId, 'token-1');
  await intake.bind(shared('7'), 'Eve', 'token-1');
  await invite(world, other.accountId, 'token-2');
  await intake.bind(shared('8'), 'Bob', 'token-2');
  const sends = async (person: string, count: number, sentAt = clock.nowIso()) =>
    await Promise.all(
      Array.from({ length: count }, () => intake.received(written(null, person, { sentAt }))),
    );
  const taken = (outcomes: readonly string[]) => outcomes.filter((each) => each === 'stored').length;
  expect(taken(await sends('7', 310))).toBe(299);
  expect(world.flooded).toHaveLength(11);
  expect(await sends('8', 1)).toEqual(['stored']);
  await intake.edited(shared('7'), 'unknown', 'is not looked for');
  expect(world.flooded).toHaveLength(12);
  // By the time at which it was sent: what has waited at the platform is no flood.
  expect(taken(await sends('7', 6, isoAfter(clock.nowIso(), 1_000)))).toBe(5);
});

test('messages over all people of an account on the shared bot are bounded, too', async () => {
  const { arrivals } = (await messagingWorld()).domain;
  const sentAt = '2030-01-01T00:00:00.000Z';
  const admits = () => arrivals.admitsAccount({ kind: 'shared' }, 'acc_1', sentAt);
  expect(Array.from({ length: 601 }, admits).indexOf(false)).toBe(600);
  expect(arrivals.admitsAccount({ kind: 'bot_token', id: 'bot_1' }, 'acc_1', sentAt)).toBe(true);
});

test('what arrives for an account is stored in its turn, before what others get in masses', async () => {
  const { arrivals } = (await messagingWorld()).domain;
  const order: string[] = [];
  const store = (owner: string) =>
    arrivals.inTurn(owner, async () => {
      await turn();
      order.push(owner);
    });
  const all = ['a', 'a', 'a', 'a', 'b', 'c', 'd', 'e'].map(store);
  expect(arrivals.turns.taken).toBe(4);
  await Promise.all(all);
  expect(order.slice(0, 5).sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('an edit changes the text and is announced, and one of an unknown message is ignored', async () => {
  const world = await messagingWorld();
  const message = written(world.botId, '1', { text: 'before' });
  await world.intake.received(message);
  await world.intake.edited(message.from, message.platformMessageId, 'after');
  await world.intake.edited(message.from, 'unknown', 'nothing');
  expect((await messagesIn(world.store)).map(({ text }) => text)).toEqual(['after']);
  const [, edited, ...others] = await eventsIn(world.store);
  expect(others).toEqual([]);
  expect(edited?.type).toBe('dm_edited');
  expect(edited?.payload).toMatchObject({ message: { text: 'after' } });
});

test('an unreachable person’s conversation is closed, and reopens when they write', async () => {
  const world = await messagingWorld();
  await invite(world, world.accountId, 'token-1');
  await world.intake.bind(shared('7'), 'Eve', 'token-1');
  await world.intake.reachable(shared('7'), false);
  const statuses = async () => [
    (await conversationsIn(world.store))[0]?.status,
    (await world.store.db.selectFrom('connections').select('status').execute())[0]?.status,
  ];
  expect(await statuses()).toEqual(['closed', 'This person no longer accepts messages']);
  await world.intake.received(written(null, '7'));
  expect(await statuses()).toEqual(['active', 'ok']);
});

/** A message to a person, accepted by the platform under the id `out-1`. */
async function delivered(world: World) {
  await write(world, '1');
  const message = await answer(world, '1', { status: 'delivered', platformMessageIds: ['out-1'] });
  const status = async () =>
    (await findRow(world.store.db, 'messages', { accountId: world.accountId, id: message.id }))?.status;
  const login = { kind: 'bot_token', id: world.botId } as const;
  return { message, status, login };
}

test('a message that fails later is marked as failed, and its agents are notified', async () => {
  const world = await messagingWorld();
  const { message, status, login } = await delivered(world);
  const sent = { platformMessageId: 'out-1', messageId: null };
  expect(await world.intake.followed(login, sent, { kind: 'failed', reason: 'no such user' })).toBe(true);
  expect(await status()).toBe('failed');
  const event = (await eventsIn(world.store)).at(-1);
  expect(event?.type).toBe('dm_failed');
  expect(event?.payload).toMatchObject({ message_id: message.id, error: 'no such user' });
  // Out-of-order statuses change nothing.
  expect(await world.intake.followed(login, sent, { kind: 'delivered' })).toBe(true);
  expect(await status()).toBe('failed');
});

test('a message with an unknown outcome becomes delivered, by our id if the platform’s never arrived', async () => {
  const world = await messagingWorld();
  const { login } = await delivered(world);
  const lost = await answer(world, '1');
  const sent = { platformMessageId: 'out-2', messageId: lost.id };
  const follow = () => world.intake.followed(login, sent, { kind: 'delivered' });
  // Still being sent: the platform was faster than our own write.
  expect(await follow()).toBe(false);
  await changeMessageStatus(
    world.store.db,
    lost.seq,
    { from: ['sending'], change: { status: 'unknown' } },
    world.clock.nowIso(),
  );
  expect(await follow()).toBe(true);
  expect(
    (await findRow(world.store.db, 'messages', { accountId: world.accountId, id: lost.id }))?.status,
  ).toBe('delivered');
  // By now the platform's id is known, too.
  const named = { platformMessageId: 'out-2', messageId: null };
  expect(await world.intake.followed(login, named, { kind: 'failed', reason: 'late' })).toBe(true);
  expect(
    (await findRow(world.store.db, 'messages', { accountId: world.accountId, id: lost.id }))?.status,
  ).toBe('failed');
});

test('a message with files and an unknown outcome is announced once it has arrived', async () => {
  const world = await messagingWorld();
  const { login } = await delivered(world);
  const lost = await answer(world, '1', { status: 'unknown', background: 'begun' });
  const sent = { platformMessageId: 'out-3', messageId: lost.id };
  expect(await world.intake.followed(login, sent, { kind: 'delivered' })).toBe(true);
  const event = (await eventsIn(world.store)).at(-1);
  expect([event?.type, event?.payload.message_id]).toEqual(['dm_sent', lost.id]);
});

test('statuses of other logins and unknown messages change nothing', async () => {
  const world = await messagingWorld();
  const { status } = await delivered(world);
  const failed = { kind: 'failed', reason: 'x' } as const;
  const otherBot = {
    kind: 'bot_token',
    id: await seedBot(world.store, world.accountId, world.agentId),
  } as const;
  const sent = { platformMessageId: 'out-1', messageId: null };
  expect(await world.intake.followed(otherBot, sent, failed)).toBe(true);
  expect(await world.intake.followed({ kind: 'shared' }, sent, failed)).toBe(true);
  expect(await status()).toBe('delivered');
});

test('the status of one part applies to the whole message', async () => {
  const world = await messagingWorld();
  const { message, status, login } = await delivered(world);
  await addPlatformMessageIds(world.store.db, message, ['out-1', 'out-1b']);
  const sent = { platformMessageId: 'out-1b', messageId: null };
  await world.intake.followed(login, sent, { kind: 'failed', reason: 'the second picture' });
  expect(await status()).toBe('failed');
});

test('a queue holds back the event of a reply, and gets messages returned by a closed window', async () => {
  const world = await messagingWorld();
  const told: string[] = [];
  world.domain.queue = {
    replied: async (_trx, _conversationId, sentAt) => {
      told.push(`replied ${sentAt}`);
      return '2030-01-01T00:00:10.000Z';
    },
    flush: () => void told.push('flush'),
    cameBack: async (messageId) => void told.push(`back ${messageId}`),
  };
  await write(world, '1');
  expect(told).toEqual(['replied 2030-01-01T00:00:00.000Z', 'flush']);
  expect(await eventsIn(world.store)).toEqual([]);
  expect((await messagesIn(world.store))[0]?.expiresAt).toBe('2030-01-01T00:00:10.000Z');

  const { message, login } = await delivered(world);
  const sent = { platformMessageId: 'out-1', messageId: null };
  await world.intake.followed(login, sent, { kind: 'window_closed' });
  expect(told.at(-1)).toBe(`back ${message.id}`);
});

test('of a message with thousands of files a few are kept, and one line stands for the others', async () => {
  const world = await messagingWorld();
  const kept: number[] = [];
  const { keepFiles } = world.domain;
  const counting = {
    ...world.domain,
    keepFiles: (...[trx, origin, files]: Parameters<typeof keepFiles>) => {
      kept.push(files.length);
      return keepFiles(trx, origin, files);
    },
  };
  const file = { name: 'a', mime: 'a/b', sizeBytes: 1, ref: 'r' };
  const message = written(world.botId, '42', {
    text: 'look',
    files: Array.from({ length: 5_000 }, () => file),
  });
  expect(await platformIntake(counting).received(message)).toBe('stored');
  expect(kept).toEqual([32]);
  expect((await messagesIn(world.store)).map(({ text }) => text)).toEqual(['look\n[attachment too large]']);
});

test('an edit that changes nothing is no event', async () => {
  const world = await messagingWorld();
  await write(world, '42', { text: 'hello', platformMessageId: 'm1' });
  await world.intake.edited(directAddress({ kind: 'bot_token', id: world.botId }, '42'), 'm1', 'hello');
  expect((await eventsIn(world.store)).map(({ type }) => type)).toEqual(['dm_chat']);
});

test('an edit or a deletion that comes before its message wins, also over a repeated delivery', async () => {
  const world = await messagingWorld();
  const from = directAddress({ kind: 'bot_token', id: world.botId }, '42');
  await world.intake.edited(from, 'm1', null);
  await write(world, '42', { text: 'a secret', platformMessageId: 'm1' });
  expect(await write(world, '42', { text: 'a secret', platformMessageId: 'm1' })).toBe('duplicate');
  expect((await messagesIn(world.store)).map(({ text }) => text)).toEqual(['[message deleted]']);
});

test('an early edit survives a restart for a day; of an account, the newest 500 do', async () => {
  const world = await messagingWorld();
  const { store, clock, botId, accountId } = world;
  const from = directAddress({ kind: 'bot_token', id: botId }, '42');
  const { accountId: other } = await seedAccount(store, 'other');
  const nextProcess = async (n: number) =>
    await platformIntake(world.domain).received(
      written(botId, '42', { text: 'as it was', platformMessageId: `m${n}` }),
    );
  await noteEarlyEdit(
    store.db,
    { platform: 'telegram', from, platformMessageId: 'of another account' },
    { accountId: other, text: 'x' },
    clock.nowIso(),
  );
  for (let n = 0; n < 502; n++) {
    clock.advance(1);
    await world.intake.edited(from, `m${n}`, 'as it is now');
  }
  expect(await countRows(store.db, 'earlyEdits', { accountId })).toBe(500);
  expect(await countRows(store.db, 'earlyEdits', { accountId: other })).toBe(1);
  for (const n of [1, 2]) await nextProcess(n);
  clock.advance(86_400_000);
  await nextProcess(3);
  expect((await messagesIn(store)).map(({ text }) => text)).toEqual([
    'as it was',
    'as it is now',
    'as it was',
  ]);
  const retention = new Retention(store.db, clock, { messagesMs: null, callsMs: null }, (error) => {
    throw error;
  });
  retention.start();
  await retention.close();
  expect(await countRows(store.db, 'earlyEdits', { accountId })).toBe(0);
});

test('stores what arrives too fast a little later, and refuses it for now when that takes too long', async () => {
  const world = await messagingWorld();
  const { clock, store, botId } = world;
  const waits = [300, 200, 0, 6_000];
  store.quota.msUntilArrival = () => waits.shift()!;
  const early = write(world, '42');
  await waitFor('the wait', () => clock.restMs === 300);
  clock.advance(300);
  await waitFor('another wait', () => clock.restMs === 200);
  expect(world.received).toEqual([]);
  clock.advance(200);
  expect(await early).toBe('stored');
  await expect(write(world, '42')).rejects.toMatchObject({ code: 'too_many_attempts', retryAfterS: 6 });
  // People on the shared login do not wait for those of one account.
  expect(await world.intake.received(written(null, '42'))).toBe('unbound');
  expect(waits).toEqual([]);

  store.quota.hasReserve = () => false;
  expect(await world.intake.received(written(botId, '42'))).toBe('full');
  expect(world.received).toHaveLength(1);
});
