import { expect, test } from 'vitest';
import { insertAgent } from '../../../src/store/agents/agents.ts';
import { changeRows } from '../../../src/store/database/rows.ts';
import { openAgentConversation } from '../../../src/store/messages/agent-conversations.ts';
import { insertMessage } from '../../../src/store/messages/messages.ts';
import type { AnyJson } from '../../support/any-json.ts';
import { waitFor } from '../../support/wait-for.ts';
import { answer, type World, write } from '../messaging/messaging-world.ts';
import { inboxServer } from './inbox-server.ts';

const query = (fields: Record<string, string | number>) => {
  const texts = Object.entries(fields).map(([name, value]): [string, string] => [name, `${value}`]);
  return `/api/inbox?${new URLSearchParams(texts)}`;
};

const textsOf = (conversation: AnyJson) => conversation.messages.map(({ text }: { text: string }) => text);

/** Another agent of the world's account, which has written to the world's agent. */
async function peerAgent({ store, accountId, agentId, clock }: World): Promise<void> {
  const agent = { id: 'agt_peer', accountId, name: 'Helper', isDefault: false, createdAt: clock.nowIso() };
  await insertAgent(store.db, agent);
  await store.db.transaction().execute(async (trx) => {
    const pair = { accountId, agentId, peerAgentId: 'agt_peer', task: 'cooking' };
    const { id: conversationId } = await openAgentConversation(trx, pair, clock.nowIso());
    const common = { accountId, conversationId, direction: 'outbound', status: 'delivered' } as const;
    const rest = { expiresAt: null, platformMessageIds: [], fileIds: [] };
    for (const [id, senderAgentId, text] of [
      ['msg_q', agentId, 'question'],
      ['msg_a', 'agt_peer', 'reply'],
    ] as const)
      await insertMessage(trx, { ...common, ...rest, id, senderAgentId, text }, clock.nowIso());
  });
}

test('a snapshot shows active conversations with their newest message, the newest first', async () => {
  const { world, api } = await inboxServer();
  await write(world, '1', { text: 'first' });
  await write(world, '2', { text: 'x'.repeat(500) });
  await answer(world, '1', { text: 'answer', status: 'delivered' });
  const { status, body } = await api.get('/api/inbox');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    conversations: [
      {
        conversation_id: expect.stringMatching(/^cnv_/),
        platform: 'telegram',
        remote_id: '1',
        remote_name: 'Name of 1',
        status: 'active',
        agents: [{ id: world.agentId, name: 'Default agent' }],
        preview: { text: 'answer', direction: 'outbound', status: 'delivered', attachments: [] },
      },
      { remote_id: '2', preview: { text: `${'x'.repeat(199)}…`, direction: 'inbound' } },
    ],
    cursor: expect.stringMatching(/^2030-01-01T00:00:00.000Z\|msg_/),
  });
  expect(body.conversations[0]).not.toHaveProperty('messages');
  expect(body.conversations[0]).not.toHaveProperty('whatsapp_window');
});

test('limit, offset and status select conversations of a snapshot', async () => {
  const { world, api } = await inboxServer();
  for (const remoteId of ['1', '2', '3']) await write(world, remoteId);
  const [closed] = await world.store.db
    .selectFrom('conversations')
    .select('id')
    .where('remoteId', '=', '2')
    .execute();
  await changeRows(world.store.db, 'conversations', { id: closed!.id }, { status: 'closed' });
  const remotes = async (fields: Record<string, string | number>) =>
    (await api.get(query(fields))).body.conversations.map((each: AnyJson) => each.remote_id);
  expect(await remotes({})).toEqual(['3', '1']);
  expect(await remotes({ status: 'closed' })).toEqual(['2']);
  expect(await remotes({ status: 'all' })).toEqual(['3', '2', '1']);
  expect(await remotes({ status: 'all', limit: 1 })).toEqual(['3']);
  expect(await remotes({ status: 'all', limit: 2, offset: 1 })).toEqual(['2', '1']);
  expect(await remotes({ offset: 9 })).toEqual([]);
});

test('detail shows the conversation with the newest message, or the one with a peer', async () => {
  const { world, api } = await inboxServer();
  await write(world, '1', { text: 'a' });
  await write(world, '2', { text: 'b' });
  await answer(world, '2', { text: 'c' });
  const detail = async (fields: Record<string, string | number>) => {
    const { status, body } = await api.get(query({ platform: 'telegram', ...fields }));
    return status === 200 ? textsOf(body.conversations[0]) : [status, body.detail];
  };
  expect(await detail({})).toEqual(['b', 'c']);
  expect(await detail({ peer: '1' })).toEqual(['a']);
  expect(await detail({ peer: 'NAME of 1' })).toEqual(['a']);
  expect(await detail({ peer: '2', limit: 1 })).toEqual(['c']);
  expect(await detail({ peer: '2', limit: 1, offset: 1 })).toEqual(['b']);
  expect(await detail({ peer: '3' })).toEqual([404, 'No active conversation']);
  expect(await detail({ platform: 'whatsapp' })).toEqual([404, 'No active conversation']);
});

test('one conversation is returned by its id, to those who may see it', async () => {
  const { world, api, other } = await inboxServer();
  await write(world, '1', { text: 'a' });
  await write(world, '1', { text: 'b' });
  const { conversations } = (await api.get('/api/inbox')).body;
  const path = `/api/inbox/${conversations[0].conversation_id}`;
  const { body } = await api.get(path);
  expect(body).toMatchObject({ conversation: { remote_id: '1' }, cursor: expect.stringContaining('|msg_') });
  expect(textsOf(body)).toEqual(['a', 'b']);
  expect(textsOf((await api.get(`${path}?limit=1`)).body)).toEqual(['b']);
  for (const answered of [await other.get(path), await api.get('/api/inbox/cnv_none')])
    expect([answered.status, answered.body.detail]).toEqual([404, 'Conversation not found']);
  expect((await other.get('/api/inbox')).body.conversations).toEqual([]);
});

test('agents see what they write to each other, each from its own side', async () => {
  const { world, api } = await inboxServer();
  await peerAgent(world);
  const { body } = await api.get(query({ platform: 'agent', peer: 'HELPER', task: 'cooking' }));
  expect(body.conversations).toMatchObject([
    {
      platform: 'agent',
      remote_id: 'agt_peer',
      remote_name: 'Helper',
      task: 'cooking',
      agents: [{ id: world.agentId }],
      messages: [
        { text: 'question', direction: 'outbound', sender_agent_id: world.agentId },
        { text: 'reply', direction: 'inbound', sender_agent_id: 'agt_peer' },
      ],
    },
  ]);
  const unknown = await api.get(query({ platform: 'agent', peer: 'helper', task: 'sewing' }));
  expect(unknown.status).toBe(404);
});

test('the window of a WhatsApp conversation is open for a day after the last message', async () => {
  const { world, api } = await inboxServer();
  await write(world, '1');
  await world.store.db.updateTable('conversations').set({ platform: 'whatsapp' }).execute();
  await answer(world, '1', { status: 'pending', expiresAt: '2030-01-08T00:00:00.000Z' });
  const windowNow = async () => (await api.get('/api/inbox')).body.conversations[0].whatsapp_window;
  const lastInboundAt = '2030-01-01T00:00:00.000Z';
  expect(await windowNow()).toEqual({ open: true, last_inbound_at: lastInboundAt, pending_count: 1 });
  world.clock.advance(86_400_000 - 1);
  expect(await windowNow()).toMatchObject({ open: true });
  world.clock.advance(1);
  expect(await windowNow()).toMatchObject({ open: false });
});

test('a delta has everything new since a cursor, and returns the next cursor', async () => {
  const { world, api } = await inboxServer();
  const { cursor } = (await api.get('/api/inbox')).body;
  const since = async (last_message_cursor: string, fields = {}) =>
    (await api.get(query({ last_message_cursor, ...fields }))).body;
  expect(await since(cursor)).toMatchObject({ conversations: [] });
  await write(world, '1', { text: 'a' });
  await write(world, '1', { text: 'b' });
  const first = await since(cursor, { limit: 1 });
  expect(textsOf(first.conversations[0])).toEqual(['a']);
  const second = await since(first.cursor);
  expect(textsOf(second.conversations[0])).toEqual(['b']);
  expect(await since(second.cursor)).toEqual({ conversations: [], cursor: second.cursor });
});

test('a waiting delta returns when a message arrives, or at the timeout', async () => {
  const { world, api, waiters } = await inboxServer();
  const { cursor } = (await api.get('/api/inbox')).body;
  const ask = (wait: number) => api.get(query({ last_message_cursor: cursor, wait }));
  const woken = ask(55);
  await waitFor('the request to wait', () => waiters.count === 1);
  await write(world, '1', { text: 'a' });
  expect(textsOf((await woken).body.conversations[0])).toEqual(['a']);

  const { cursor: now } = (await api.get('/api/inbox')).body;
  const late = api.get(query({ last_message_cursor: now, wait: 120 }));
  await waitFor('the request to wait', () => waiters.count === 1);
  // The schema's 120 s are reduced to 55.
  world.clock.advance(54_999);
  expect(waiters.count).toBe(1);
  world.clock.advance(101);
  expect((await late).body).toEqual({ conversations: [], cursor: now });
});

test('a client that disconnects while it waits leaves nothing behind', async () => {
  const { world, waiters, port } = await inboxServer();
  const gone = new AbortController();
  const headers = { 'X-API-Key': 'svc_agent' };
  const asked = fetch(`http://127.0.0.1:${port}${query({ last_message_cursor: '2030-01-01', wait: 55 })}`, {
    headers,
    signal: gone.signal,
  }).catch(() => null);
  await waitFor('the request to wait', () => waiters.count === 1);
  gone.abort();
  await asked;
  await waitFor('nobody to wait', () => waiters.count === 0);
  expect(await write(world, '1')).toBe('stored');
});

test.each([
  ['wait', { wait: 121 }],
  ['wait', { wait: -1 }],
  ['limit', { limit: 0 }],
  ['limit', { limit: 201 }],
  ['offset', { offset: -1 }],
  ['platform', { platform: 'fax' }],
  ['last_message_cursor', { last_message_cursor: 'yesterday' }],
  ['status', { status: '' }],
])('a wrong %s is refused', async (name, fields) => {
  const { api } = await inboxServer();
  const { status, body } = await api.get(query(fields));
  expect([status, body.detail[0].loc.at(-1)]).toEqual([422, name]);
});

test('the inbox accepts its limits: wait 0 and 120, limit 1 and 200', async () => {
  const { api } = await inboxServer();
  for (const fields of [
    { wait: 0 },
    { wait: 120 },
    { limit: 1 },
    { limit: 200 },
    { last_message_cursor: '' },
  ])
    expect((await api.get(query(fields))).status).toBe(200);
});
