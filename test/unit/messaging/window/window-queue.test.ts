import { expect, test } from 'vitest';
import { findRow } from '../../../../src/store/database/rows.ts';
import { listMessages } from '../../../../src/store/messages/messages.ts';
import { changeMessageStatus } from '../../../../src/store/messages/outbound-messages.ts';
import { beginConversation, QueueWorld } from '../queue-world.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test('within 24 hours a message is sent at once', async () => {
  const world = await QueueWorld.make();
  await world.reply('hello');
  world.clock.advance(DAY_MS - SECOND_MS);
  expect(await world.pass(world.send('in time'))).toMatchObject({ kind: 'delivered' });
  world.clock.advance(SECOND_MS);
  expect(await world.pass(world.send('late'))).toMatchObject({ kind: 'waits' });
  expect(world.platform.arrived).toEqual(['in time']);
});

test('after 24 hours messages wait, and the first one sends a template that asks the person to write', async () => {
  const world = await QueueWorld.make();
  expect(await world.pass(world.send('first'))).toMatchObject({
    kind: 'waits',
    templateSent: true,
    position: 1,
  });
  expect(await world.pass(world.send('second'))).toMatchObject({ templateSent: false, position: 2 });
  world.clock.advance(2 * DAY_MS);
  expect(await world.pass(world.send('third'))).toMatchObject({ templateSent: false, position: 3 });
  expect(world.platform.templates).toEqual(['first']);
});

test('a failed template is retried with the next message', async () => {
  const world = await QueueWorld.make();
  world.platform.refusesTemplates = true;
  expect(await world.pass(world.send('first'))).toMatchObject({
    templateSent: false,
    templateError: expect.stringMatching(/./),
    position: 1,
  });
  world.platform.refusesTemplates = false;
  expect(await world.pass(world.send('second'))).toMatchObject({ templateSent: true, position: 2 });
  expect(world.platform.templates).toEqual(['second']);
  expect(world.counts).toContain('template_failed');
});

test('when the person writes, all messages are sent in order, and agents see that before the reply', async () => {
  const world = await QueueWorld.make();
  for (const text of ['one', 'two', 'three']) await world.pass(world.send(text));
  await world.reply('here I am');
  await world.settle();
  expect(world.platform.arrived).toEqual(['one', 'two', 'three']);
  expect(await world.events()).toEqual([
    ['dm_delivered', 'one', 'two', 'three'],
    ['dm_chat', 'here I am'],
  ]);
  expect(await world.outbound()).toEqual([
    ['one', 'delivered'],
    ['two', 'delivered'],
    ['three', 'delivered'],
  ]);
});

test('a reply with nothing pending is announced at once', async () => {
  const world = await QueueWorld.make();
  await world.reply('hello');
  expect(await world.events()).toEqual([['dm_chat', 'hello']]);
});

test('a slow queue holds the reply back for ten seconds at most', async () => {
  const world = await QueueWorld.make();
  for (const text of ['one', 'two']) await world.pass(world.send(text));
  // Meta lets one message through, and the next after twelve seconds.
  const send = world.platform.send.bind(world.platform);
  let refusals = 0;
  world.platform.send = async (message) => {
    if (message.text === 'two' && refusals++ < 2) return { kind: 'later', reason: 'rate', afterMs: 6_000 };
    return await send(message);
  };
  await world.reply('here');
  await world.settle();
  expect(world.platform.arrived).toEqual(['one', 'two']);
  expect(await world.events()).toEqual([
    ['dm_delivered', 'one'],
    ['dm_chat', 'here'],
    ['dm_delivered', 'two'],
  ]);
});

test('a message written during the flush is queued behind it, and answered when it is sent', async () => {
  const world = await QueueWorld.make();
  for (const text of ['one', 'two']) await world.pass(world.send(text));
  world.platform.next = 'later';
  await world.reply('here');
  expect(await world.pass(world.send('three'))).toMatchObject({ kind: 'delivered' });
  expect(world.platform.arrived).toEqual(['one', 'two', 'three']);
});

test('a message that the platform refuses during the flush does not block the others', async () => {
  const world = await QueueWorld.make();
  for (const text of ['one', 'two']) await world.pass(world.send(text));
  world.platform.next = 'refused';
  await world.reply('here');
  await world.settle();
  expect(await world.outbound()).toEqual([
    ['one', 'failed'],
    ['two', 'delivered'],
  ]);
  expect(await world.events()).toEqual([
    ['dm_delivered', 'two'],
    ['dm_chat', 'here'],
  ]);
});

test('the platform can report a closed window at once, or after it accepted the message', async () => {
  const world = await QueueWorld.make();
  await world.reply('hello');
  world.platform.lastWroteMs = null;
  expect(await world.pass(world.send('at once'))).toMatchObject({ templateSent: true, position: 1 });
  await world.reply('again');
  await world.settle();
  world.platform.next = 'lost';
  const { id } = await world.pass(world.send('afterwards'));
  expect(await world.pass(world.queue.cameBack(id))).toEqual({
    kind: 'waits',
    templateSent: true,
    position: 1,
  });
  // The same status again.
  expect(await world.pass(world.queue.cameBack(id))).toMatchObject({ templateSent: false });
  expect(world.platform.templates).toEqual(['at once', 'afterwards']);
  await world.reply('yes');
  await world.settle();
  expect(world.platform.arrived).toEqual(['at once', 'afterwards']);
});

test('a late refusal from before the person’s last message does not close the window', async () => {
  const world = await QueueWorld.make();
  await world.reply('hello');
  world.platform.next = 'lost';
  const { id } = await world.pass(world.send('lost'));
  world.clock.advance(SECOND_MS);
  await world.reply('again');
  expect(await world.pass(world.queue.cameBack(id))).toEqual({ kind: 'delivered' });
  expect(world.platform.arrived).toEqual(['lost']);
  expect(world.platform.templates).toEqual([]);
});

test('a message is dropped after seven days', async () => {
  const world = await QueueWorld.make();
  await world.pass(world.send('old'));
  world.clock.advance(DAY_MS);
  await world.pass(world.send('younger'));
  world.clock.advance(6 * DAY_MS - 120 * SECOND_MS);
  await world.settle();
  expect((await world.outbound())[0]).toEqual(['old', 'pending']);
  world.clock.advance(120 * SECOND_MS);
  await world.settle();
  expect(await world.outbound()).toEqual([
    ['old', 'dropped'],
    ['younger', 'pending'],
  ]);
  await world.reply('at last');
  await world.settle();
  expect(world.platform.arrived).toEqual(['younger']);
  expect(world.counts.filter((event) => event === 'dropped')).toHaveLength(1);
});

test('a process that ends between a reply and the flush leaves both to the next one', async () => {
  const world = await QueueWorld.make();
  await world.pass(world.send('one'));
  await world.pass(world.reply('here', true));
  await world.settle();
  expect(world.platform.arrived).toEqual(['one']);
  expect(await world.events()).toEqual([
    ['dm_delivered', 'one'],
    ['dm_chat', 'here'],
  ]);
});

test('a process that ends while it waits for the rate limit leaves the message pending', async () => {
  const world = await QueueWorld.make();
  await world.pass(world.send('one'));
  world.platform.next = 'later';
  await world.reply('here');
  await world.until(async () => world.platform.next === null);
  await world.queue.close(0);
  expect(await world.outbound()).toEqual([['one', 'pending']]);
  await world.restart();
  await world.settle();
  expect(world.platform.arrived).toEqual(['one']);
});

test('a message with an unknown outcome is not sent again', async () => {
  const world = await QueueWorld.make();
  await world.pass(world.send('one'));
  const [message] = await world.messages();
  await changeMessageStatus(
    world.db,
    message!.seq,
    { from: ['pending'], change: { status: 'sending' } },
    world.clock.nowIso(),
  );
  await changeMessageStatus(
    world.db,
    message!.seq,
    { from: ['sending'], change: { status: 'unknown' } },
    world.clock.nowIso(),
  );
  await world.pass(world.restart());
  await world.reply('here');
  await world.settle();
  expect(world.platform.arrived).toEqual([]);
  expect(await world.outbound()).toEqual([['one', 'unknown']]);
  expect((await world.messages()).every(({ expiresAt }) => expiresAt === null)).toBe(true);
});

test('a person who writes to one account opens the window of every account on the number', async () => {
  const world = await QueueWorld.make();
  const { id: other } = await beginConversation(world.store, 'two');
  await world.pass(world.send('to the first'));
  await world.pass(world.send('to the second', other));
  expect(world.platform.templates).toEqual(['to the first', 'to the second']);
  await world.reply('hello');
  await world.settle();
  await world.until(async () => world.platform.arrived.length === 2);
  expect([...world.platform.arrived].sort()).toEqual(['to the first', 'to the second']);
  expect((await findRow(world.db, 'conversations', { id: other }))!.closure).toBeNull();
});

test('a conversation holds a thousand waiting messages', async () => {
  const world = await QueueWorld.make();
  await world.pass(world.send('template'));
  for (let count = 1; count < 1_000; count++) await world.send(`${count}`);
  await expect(world.send('one too many')).rejects.toMatchObject({ code: 'too_many_messages' });
  expect(await listMessages(world.db, world.conversationId, { limit: 2_000, offset: 0 })).toHaveLength(1_000);
});

test('a message with files is also announced by its own event', async () => {
  const world = await QueueWorld.make();
  await world.hasFiles((await world.pass(world.send('photo'))).id);
  await world.pass(world.send('text'));
  await world.reply('here I am');
  await world.settle();
  expect(await world.events()).toEqual([
    ['dm_sent', 'photo'],
    ['dm_delivered', 'photo', 'text'],
    ['dm_chat', 'here I am'],
  ]);
  expect((await world.messages())[0]?.background).toBe('begun');
});

test('a dropped message with files is announced as failed', async () => {
  const world = await QueueWorld.make();
  await world.hasFiles((await world.pass(world.send('photo'))).id);
  world.clock.advance(7 * DAY_MS);
  await world.settle();
  expect(await world.outbound()).toEqual([['photo', 'dropped']]);
  expect(await world.events()).toEqual([['dm_failed', 'photo']]);
});
