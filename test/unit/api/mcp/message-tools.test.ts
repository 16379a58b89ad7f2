import { expect, test } from 'vitest';
import { FakeMessenger } from '../../../support/fake-messenger.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { ToolWorld } from './tool-world.ts';

/** A person has written to the agent. */
async function conversing(options: Parameters<typeof ToolWorld.open>[0] = {}) {
  const world = await ToolWorld.open(options);
  const conversation = await world.outbound.conversation();
  await world.outbound.heard(conversation, 'Hello');
  return { world, conversation };
}

const textsIn = (inbox: { conversations: { messages: { text: string }[] }[] }) =>
  inbox.conversations.flatMap(({ messages }) => messages.map(({ text }) => text));

test('the inbox has its three modes, and a cursor for the next request', async () => {
  const { world, conversation } = await conversing();
  const snapshot = await world.ask('svc_inbox');
  expect(snapshot).toMatchObject({
    conversations: [{ conversation_id: conversation.id, remote_id: '42', preview: { text: 'Hello' } }],
  });
  const detail = await world.ask('svc_inbox', { platform: 'telegram', peer: '42' });
  expect(textsIn(detail)).toEqual(['Hello']);
  const { cursor } = snapshot;
  expect(await world.ask('svc_inbox', { last_message_cursor: cursor })).toEqual({
    conversations: [],
    cursor,
  });
  await world.outbound.heard(conversation, 'Are you there?');
  const delta = await world.ask('svc_inbox', { last_message_cursor: cursor, wait: 55 });
  expect(textsIn(delta)).toEqual(['Are you there?']);
  expect(delta.cursor).not.toBe(cursor);
  expect(await world.ask('svc_inbox', {}, { as: world.stranger })).toMatchObject({ conversations: [] });
});

test('an inbox without a conversation returns 404 in detail mode, as in the API', async () => {
  const world = await ToolWorld.open();
  expect(await world.fault('svc_inbox', { platform: 'telegram' })).toBe('404 No active conversation');
});

test('a wait ends as soon as a message arrives, with a progress message every 10 s until then', async () => {
  const { world, conversation } = await conversing();
  const { cursor } = await world.ask('svc_inbox');
  const signs: string[] = [];
  const waiting = world.ask(
    'svc_inbox',
    { last_message_cursor: cursor, wait: 55 },
    { progress: (message) => void signs.push(message) },
  );
  await waitFor('the call to wait', () => world.domains.inbox.waiters.count === 1);
  world.outbound.clock.advance(9_900);
  expect(signs).toEqual([]);
  world.outbound.clock.advance(10_300);
  expect(signs).toEqual(['Nothing new for 10 s', 'Nothing new for 20 s']);
  await world.outbound.heard(conversation, 'At last');
  world.wakeups.wake(world.outbound.accountId);
  expect(textsIn(await waiting)).toEqual(['At last']);
  world.outbound.clock.advance(60_000);
  expect(signs).toHaveLength(2);
});

test('a wait without news ends after 55 s', async () => {
  const { world } = await conversing();
  const { cursor } = await world.ask('svc_inbox');
  const waiting = world.ask('svc_inbox', { last_message_cursor: cursor, wait: 120 });
  await waitFor('the call to wait', () => world.domains.inbox.waiters.count === 1);
  world.outbound.clock.advance(55_100);
  expect(await waiting).toEqual({ conversations: [], cursor });
});

test('a wait that is cancelled ends at once and leaves nothing behind', async () => {
  const { world } = await conversing();
  const { cursor } = await world.ask('svc_inbox');
  const gone = new AbortController();
  const signs: string[] = [];
  const waiting = world.ask(
    'svc_inbox',
    { last_message_cursor: cursor, wait: 55 },
    { signal: gone.signal, progress: (message) => void signs.push(message) },
  );
  await waitFor('the call to wait', () => world.domains.inbox.waiters.count === 1);
  gone.abort();
  expect(await waiting).toEqual({ conversations: [], cursor });
  expect(world.domains.inbox.waiters.count).toBe(0);
  world.outbound.clock.advance(60_000);
  expect(signs).toEqual([]);
});

test('calls beyond the number that may wait with one credential are refused', async () => {
  const { world } = await conversing();
  const { cursor } = await world.ask('svc_inbox');
  const ask = () => world.call('svc_inbox', { last_message_cursor: cursor, wait: 55 });
  const waiting = Array.from({ length: 100 }, ask);
  await waitFor('the calls to wait', () => world.domains.inbox.waiters.count === 100);
  expect((await ask()).error).toBe('429 At most 100 pending long-polls per key');
  world.domains.inbox.waiters.close();
  expect((await Promise.all(waiting)).map(({ error }) => error)).toEqual(Array(100).fill(''));
});

test('a message is sent, and only once when its key is repeated', async () => {
  const { world } = await conversing();
  const told = await world.ask('svc_dm_chat', { platform: 'telegram', text: 'Hi' });
  expect(told).toEqual({ status: 'delivered', message_id: expect.stringMatching(/^msg_/), delivery: 'sync' });
  const keyed = { platform: 'telegram', text: 'Once', idempotency_key: 'k' };
  const first = await world.ask('svc_dm_chat', keyed);
  expect(await world.ask('svc_dm_chat', keyed)).toEqual(first);
  expect(world.outbound.messenger.texts).toEqual(['Hi', 'Once']);
  expect(await world.fault('svc_dm_chat', { ...keyed, text: 'Twice' })).toBe(
    '422 Idempotency-Key: This key was used for a different request',
  );
});

test('a platform’s refusal is an error, also when the key is repeated', async () => {
  const { world } = await conversing();
  const args = { platform: 'telegram', text: 'x'.repeat(5_000), idempotency_key: 'k' };
  for (let i = 0; i < 2; i++)
    expect(await world.fault('svc_dm_chat', args)).toBe('502 Failed to send message: too long');
  expect(await world.fault('svc_dm_chat', { platform: 'slack', text: 'Hi' })).toBe(
    '404 No active conversation',
  );
});

test('an error says whether the call can be repeated, which a permanent one never can', async () => {
  const { world, conversation } = await conversing();
  const retryOf = async (name: string, args: object) => (await world.call(name, args)).meta.retry;
  const long = { platform: 'telegram', text: 'x'.repeat(5_000) };
  expect(await retryOf('svc_dm_chat', long)).toBe('no');
  expect(await retryOf('svc_dm_chat', { platform: 'slack', text: 'Hi' })).toBe('no');
  expect(await retryOf('svc_dm_chat', { platform: 'telegram' })).toBe('no');
  const here = { platform: 'telegram', conversation_id: conversation.id, text: 'Hi' };
  world.outbound.messenger.will({ kind: 'unknown', reason: 'no answer', sentIds: [] });
  expect(await retryOf('svc_dm_chat', here)).toBe('unsure');
});

test('a message that must wait until the other side writes is queued, which is not an error', async () => {
  const { world } = await conversing({
    messenger: new FakeMessenger('whatsapp'),
    windows: {
      mustWait: async () => true,
      expiry: () => '2030-01-08T00:00:00.000Z',
      joined: async () => ({ kind: 'waits' as const, templateSent: true, position: 1 }),
      cameBack: () => Promise.reject(new Error('not sent')),
    },
  });
  expect(await world.ask('svc_dm_chat', { platform: 'whatsapp', text: 'Hello?' })).toEqual({
    status: 'queued',
    message_id: expect.stringMatching(/^msg_/),
    reason: 'outside_24h_window',
    template_sent: true,
    queue_position: 1,
  });
});

test('typing is shown in the current conversation', async () => {
  const { world } = await conversing();
  expect(await world.ask('svc_dm_typing', { platform: 'telegram' })).toEqual({ status: 'ok' });
  await waitFor('the sign', () => world.outbound.messenger.typingTo.length === 1);
  expect(await world.fault('svc_dm_typing', { platform: 'slack' })).toBe('404 No active conversation');
});

test('an upload URL is valid for 5 minutes and comes with the file id to attach', async () => {
  const world = await ToolWorld.open();
  const slot = await world.ask('svc_file_upload_url', { name: 'plan.pdf', mime: 'application/pdf' });
  expect(slot).toEqual({
    file_id: expect.stringMatching(/^f_/),
    upload_url: expect.stringMatching(/^https:\/\/gateway\.example\/api\/files\/upload\/[\w-]{32,}$/),
    expires_at: '2030-01-01T00:05:00.000Z',
  });
  const second = await world.ask('svc_file_upload_url', { name: 'plan.pdf', mime: 'application/pdf' });
  expect(second.upload_url).not.toBe(slot.upload_url);
});
