import { expect, test } from 'vitest';
import { InboxStream } from '../../../../src/api/stream/inbox-stream.ts';
import { attachMember, insertAgent } from '../../../../src/store/agents/agents.ts';
import { appendEvent } from '../../../../src/store/messages/events.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { messagingWorld, type World, write } from '../../messaging/messaging-world.ts';
import { NOW } from '../../store/temporary.ts';
import { inboxServer } from '../inbox-server.ts';

async function callEvent({ store, clock, accountId, agentId, wakeups }: World, n: number): Promise<void> {
  const payload = { call_id: `call_${n}`, state: 'active' };
  await appendEvent(store.db, { accountId, agentId, type: 'call_state', payload, createdAt: clock.nowIso() });
  wakeups.wake(accountId);
}

test('a stream sends new events, each with the cursor after it', async () => {
  const { world, listen } = await inboxServer();
  await write(world, '1', { text: 'old' });
  const listener = await listen();
  await write(world, '1', { text: 'new' });
  await callEvent(world, 1);
  const [ready, message, call] = await listener.heard(3);
  expect(ready).toMatchObject({ type: 'ready', cursor: expect.stringContaining('|msg_') });
  expect(message).toMatchObject({
    type: 'dm_chat',
    event_id: expect.stringMatching(/^evt_/),
    conversation_id: expect.stringMatching(/^cnv_/),
    platform: 'telegram',
    peer: { remote_id: '1', remote_name: 'Name of 1' },
    message: { text: 'new', direction: 'inbound', attachments: [] },
    attachments: [],
  });
  expect(message.cursor).toBe(`${message.message.created_at}|${message.message.id}`);
  expect(call).toMatchObject({
    type: 'call_state',
    call_id: 'call_1',
    state: 'active',
    cursor: `2030-01-01T00:00:00.001Z|${message.message.id}`,
  });
});

test('a stream that resumes from a cursor first sends everything since then, once', async () => {
  const { world, listen } = await inboxServer();
  const { frames } = await listen();
  const { cursor } = frames[0];
  for (let n = 0; n < 250; n++) await write(world, `${n % 9}`, { text: `before ${n}` });
  const opening = listen(`&last_message_cursor=${encodeURIComponent(cursor)}`);
  for (let n = 0; n < 50; n++) await write(world, '1', { text: `meanwhile ${n}` });
  const listener = await opening;
  const heard = await listener.heard(301);
  const wanted = [
    ...Array.from({ length: 250 }, (_, n) => `before ${n}`),
    ...Array.from({ length: 50 }, (_, n) => `meanwhile ${n}`),
  ];
  expect(heard.slice(1).map((frame) => frame.message.text)).toEqual(wanted);
  await write(world, '1', { text: 'live' });
  expect((await listener.heard(302)).at(-1).message.text).toBe('live');
  expect(listener.frames).toHaveLength(302);
});

test('a stream can resume from any frame', async () => {
  const { world, listen } = await inboxServer();
  const whole = await listen();
  for (let n = 0; n < 3; n++) {
    await write(world, '1', { text: `${n}` });
    await callEvent(world, n);
    await callEvent(world, n);
  }
  const frames = [...(await whole.heard(10))];
  for (const [at, { cursor }] of frames.entries()) {
    const again = await listen(`&last_message_cursor=${encodeURIComponent(cursor)}`);
    const rest = await again.heard(frames.length - at);
    expect(rest.slice(1).map(({ event_id }) => event_id)).toEqual(
      frames.slice(at + 1).map(({ event_id }) => event_id),
    );
    again.socket.terminate();
  }
});

test('an account receives no messages of another account', async () => {
  const { world, listen } = await inboxServer();
  const other = await listen('', 'svc_other');
  const own = await listen();
  await write(world, '1');
  await own.heard(2);
  expect(other.frames).toHaveLength(1);
});

test('a stream is refused without a key, and with an invalid cursor', async () => {
  const { listen } = await inboxServer();
  await expect(listen('', 'svc_wrong')).rejects.toThrow('401');
  await expect(listen('&last_message_cursor=yesterday')).rejects.toThrow('422');
});

test('one credential may have 100 streams, not 101', async () => {
  const { listen, refusals } = await inboxServer();
  await Promise.all(Array.from({ length: 100 }, () => listen()));
  await expect(listen()).rejects.toThrow('429');
  expect(refusals.count).toBe(1);
});

test('an account may have 500 streams with any number of keys, and other accounts are not affected', async () => {
  const { listen } = await inboxServer();
  const open = await Promise.all(Array.from({ length: 500 }, (_, n) => listen('', `svc_agent_${n % 5}`)));
  await expect(listen('', 'svc_agent_9')).rejects.toThrow('429');
  await listen('', 'svc_other');
  open[0]!.socket.close();
  await waitFor('its place to be free', async () => await listen('', 'svc_agent_9').catch(() => false));
});

test('a key that loses an agent loses its streams', async () => {
  const { world, listen, streams } = await inboxServer();
  const listener = await listen();
  streams.follow('key_1', [world.agentId]);
  expect(streams.countOf('key_1')).toBe(1);
  streams.follow('key_1', []);
  await waitFor('the stream to be closed', () => listener.closed);
  expect(listener.closed?.code).toBe(1008);
  expect(streams.countOf('key_1')).toBe(0);
});

/** Another agent of the world, with the same bot or without it. */
async function agentOf({ store, accountId, botId }: World, id: string, hasBot = true): Promise<void> {
  await insertAgent(store.db, { id, accountId, name: id, isDefault: false, createdAt: NOW });
  if (hasBot) await attachMember(store.db, id, { type: 'bot_token', id: botId });
}

test('a stream sends the events of agents that its key gains later, from then on', async () => {
  const { world, listen, streams } = await inboxServer();
  const { store, accountId, wakeups, clock } = world;
  const listener = await listen();
  await agentOf(world, 'agt_late', false);
  const happens = async (agentId: string, n: number) => {
    const event = { accountId, agentId, type: 'call_state', payload: { call_id: String(n) } };
    await appendEvent(store.db, { ...event, createdAt: clock.nowIso() });
    wakeups.wake(accountId);
  };
  await happens('agt_late', 1);
  await happens(world.agentId, 2);
  await happens('agt_late', 3);
  streams.follow('key_1', [world.agentId, 'agt_late']);
  // There is no gap: events stored after the change are sent, however early the stream learns of it.
  await Promise.all([happens('agt_late', 4), happens(world.agentId, 5), happens('agt_late', 6)]);
  streams.follow('key_1', [world.agentId, 'agt_late']);
  await happens('agt_late', 7);
  const heard = await listener.heard(6);
  expect(heard.slice(1).map(({ call_id }) => call_id)).toEqual(['2', '4', '5', '6', '7']);
});

test('a message for two agents is sent once, also when one of them joins later', async () => {
  const { world, listen, streams } = await inboxServer();
  await agentOf(world, 'agt_late');
  const listener = await listen();
  await write(world, '1', { text: 'before' });
  streams.follow('key_1', [world.agentId, 'agt_late']);
  await write(world, '1', { text: 'after' });
  const heard = await listener.heard(3);
  await write(world, '1', { text: 'last' });
  await listener.heard(4);
  expect(heard.slice(1).map((frame) => frame.message.text)).toEqual(['before', 'after', 'last']);
});

/** A client that does not read: what it is sent, and how it was closed. */
async function stuckClient() {
  const world = await messagingWorld();
  const { reading, wakeups, scope } = world;
  const state = { sent: [] as string[], buffered: 0, closed: null as [number, string] | null };
  const failures: unknown[] = [];
  const stream = new InboxStream({
    reading,
    wakeups,
    scope,
    cursor: null,
    enlist: () => () => {},
    onFailure: (error) => void failures.push(error),
  });
  stream.opened({
    toHalf: null,
    sendText: (text) => {
      state.sent.push(text);
      return true;
    },
    sendBinary: () => false,
    cork: (send) => send(),
    bufferedBytes: () => state.buffered,
    close: (code, reason) => {
      state.closed = [code, reason];
      stream.closed();
    },
    faulted: () => {},
  });
  await waitFor('the first frame', () => state.sent.length === 1);
  return { world, stream, state, failures };
}

test('a client that does not read gets nothing more, and is closed after 30 s with its cursor', async () => {
  const { world, state } = await stuckClient();
  await write(world, '1');
  await waitFor('the message', () => state.sent.length === 2);
  const { cursor } = JSON.parse(state.sent[1]!);
  state.buffered = 300_000;
  await write(world, '1');
  world.clock.advance(0);
  await waitFor('the reader to be waited for', () => {
    world.clock.advance(30_000);
    return state.closed;
  });
  expect(state.sent).toHaveLength(2);
  expect(state.closed).toEqual([1013, `too slow; resume from ${cursor}`]);
});

test('a client that catches up gets all the rest', async () => {
  const { world, stream, state, failures } = await stuckClient();
  state.buffered = 300_000;
  for (let n = 0; n < 3; n++) await write(world, '1');
  await new Promise((resolve) => setImmediate(resolve));
  expect(state.sent).toHaveLength(1);
  state.buffered = 0;
  stream.drained();
  await waitFor('the rest', () => state.sent.length === 4);
  world.clock.advance(60_000);
  expect([state.closed, failures]).toEqual([null, []]);
});
