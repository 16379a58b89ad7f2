import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newId } from '../../../../src/base/ids.ts';
import { findRow } from '../../../../src/store/database/rows.ts';
import { openAgentConversation } from '../../../../src/store/messages/agent-conversations.ts';
import {
  type Conversation,
  findConversation,
  findNewestConversation,
  heardFrom,
  listConversations,
} from '../../../../src/store/messages/conversations.ts';
import {
  insertMessage,
  listMessages,
  type Message,
  messagesAfter,
  type NewMessage,
} from '../../../../src/store/messages/messages.ts';
import {
  changeMessageStatus,
  countPending,
  dropExpired,
  listUnderWay,
} from '../../../../src/store/messages/outbound-messages.ts';
import { openConversation } from '../../../../src/store/messages/spaces.ts';
import type { Store } from '../../../../src/store/store.ts';
import { seedBot } from '../../messaging/messaging-world.ts';
import { NOW, seedAccount, temporaryStore } from '../temporary.ts';

const later = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString();

/** An account with a bot, and a conversation of it. */
async function withConversation(name = 'a') {
  const store = await temporaryStore();
  const owner = await seedAccount(store, name);
  const botId = await seedBot(store, owner.accountId, owner.agentId);
  const conversation = await begin(store, owner.accountId, botId, '1');
  return { store, botId, conversation, ...owner };
}

async function begin(
  store: Store,
  accountId: string,
  botId: string,
  remoteId: string,
): Promise<Conversation> {
  const member = { type: 'bot_token', id: botId } as const;
  const remote = {
    accountId,
    platform: 'telegram',
    member,
    space: { kind: 'direct', id: remoteId } as const,
    thread: null,
    alias: null,
    remoteName: null,
  } as const;
  return await store.db.transaction().execute((trx) => openConversation(trx, remote, NOW));
}

async function put(
  { db }: Store,
  { id: conversationId, accountId }: Conversation,
  fields: Partial<NewMessage> = {},
  nowIso = NOW,
): Promise<Message> {
  const message: NewMessage = {
    id: newId('msg'),
    accountId,
    conversationId,
    direction: 'outbound',
    senderAgentId: null,
    text: 'text',
    status: 'pending',
    expiresAt: null,
    platformMessageIds: [],
    fileIds: [],
    ...fields,
  };
  return await db.transaction().execute((trx) => insertMessage(trx, message, nowIso));
}

test('waiting messages are counted, and dropped when they expire, oldest first', async () => {
  const { store, conversation, accountId, botId } = await withConversation();
  const other = await begin(store, accountId, botId, '2');
  const first = await put(store, conversation, { expiresAt: later(1_000) });
  await put(store, conversation, { expiresAt: later(3_000) });
  await put(store, conversation, { status: 'delivered' });
  await put(store, other, { expiresAt: later(2_000) });
  const counts = await countPending(store.db, [conversation.id, other.id, 'cnv_none']);
  expect([...counts]).toEqual(
    expect.arrayContaining([
      [conversation.id, 2],
      [other.id, 1],
    ]),
  );
  expect(counts.size).toBe(2);

  expect(await dropExpired(store.db, later(999), 10)).toEqual([]);
  expect((await dropExpired(store.db, later(1_000), 10)).map(({ id }) => id)).toEqual([first.id]);
  expect((await dropExpired(store.db, later(9_000), 1)).map(({ status }) => status)).toEqual(['dropped']);
  expect(await dropExpired(store.db, later(9_000), 10)).toHaveLength(1);
  expect((await countPending(store.db, [conversation.id])).size).toBe(0);
});

test('messages in flight are read page by page', async () => {
  const { store, conversation } = await withConversation();
  const seqs: number[] = [];
  for (let n = 0; n < 3; n++) seqs.push((await put(store, conversation, { status: 'sending' })).seq);
  await put(store, conversation, { status: 'pending' });
  const page = await listUnderWay(store.db, 'sending', 0, 2);
  expect(page.map(({ seq }) => seq)).toEqual(seqs.slice(0, 2));
  expect((await listUnderWay(store.db, 'sending', page[1]!.seq, 2)).map(({ seq }) => seq)).toEqual([seqs[2]]);
});

test('a status changes only from an expected one', async () => {
  const { store, conversation, accountId } = await withConversation();
  const { seq, id } = await put(store, conversation, { status: 'sending' });
  const move = (from: 'sending' | 'pending', nowIso: string) =>
    changeMessageStatus(store.db, seq, { from: [from], change: { status: 'failed', error: 'why' } }, nowIso);
  expect(await move('pending', later(1))).toBe(false);
  expect(await move('sending', later(2))).toBe(true);
  expect(await move('sending', later(3))).toBe(false);
  const found = await findRow(store.db, 'messages', { accountId, id });
  expect(found).toMatchObject({ status: 'failed', error: 'why', createdAt: NOW, changedAt: later(2) });
  expect(await findRow(store.db, 'messages', { accountId: 'acc_other', id })).toBeUndefined();
});

test('a page of a conversation is counted from the newest and read from the oldest', async () => {
  const { store, conversation } = await withConversation();
  for (let n = 0; n < 5; n++) await put(store, conversation, { text: `${n}` });
  const texts = async (limit: number, offset: number) =>
    (await listMessages(store.db, conversation.id, { limit, offset })).map(({ text }) => text);
  expect(await texts(2, 0)).toEqual(['3', '4']);
  expect(await texts(2, 2)).toEqual(['1', '2']);
  expect(await texts(9, 4)).toEqual(['0']);
});

test('the time of the last inbound message is the newest from the platform', async () => {
  const { store, conversation, accountId, agentId } = await withConversation();
  const scope = { accountId, agentIds: [agentId], platforms: null };
  for (const sentAt of [later(5), later(1)]) await heardFrom(store.db, conversation.id, sentAt);
  expect((await findConversation(store.db, scope, conversation.id))?.lastInboundAt).toBe(later(5));
});

test('a scope sees the conversations of the platform accounts that its agents have, and no others', async () => {
  const { store, conversation, accountId, agentId, botId } = await withConversation();
  const stranger = await seedAccount(store, 'b');
  const seen = async (owner: string, ...agentIds: string[]) =>
    (
      await listConversations(
        store.db,
        { accountId: owner, agentIds, platforms: null },
        { status: 'active', limit: 9, offset: 0 },
      )
    ).map(({ id }) => id);
  expect(await seen(accountId, agentId)).toEqual([conversation.id]);
  expect(await seen(accountId)).toEqual([]);
  expect(await seen(accountId, 'agt_none')).toEqual([]);
  expect(await seen(stranger.accountId, stranger.agentId)).toEqual([]);
  // Not even with an agent of another account.
  expect(await seen(stranger.accountId, agentId)).toEqual([]);
  await store.db.deleteFrom('agentAccounts').where('memberId', '=', botId).execute();
  expect(await seen(accountId, agentId)).toEqual([]);
});

test('two agents have one conversation about a task, whichever writes first', async () => {
  const { store, accountId, agentId } = await withConversation();
  const peer = { id: 'agt_peer', accountId, name: 'Peer', isDefault: false, createdAt: NOW } as const;
  await store.db.insertInto('agents').values(peer).execute();
  const open = (from: string, to: string, task: string) =>
    store.db
      .transaction()
      .execute((trx) => openAgentConversation(trx, { accountId, agentId: from, peerAgentId: to, task }, NOW));
  const { id } = await open(agentId, 'agt_peer', '');
  expect((await open('agt_peer', agentId, '')).id).toBe(id);
  expect((await open(agentId, 'agt_peer', 'other')).id).not.toBe(id);
  const find = async (agentIds: string[], name: string, task = '') =>
    (
      await findNewestConversation(
        store.db,
        { accountId, agentIds, platforms: null },
        {
          platform: 'agent',
          peer: {
            peer: name,
            task,
          },
        },
      )
    )?.id;
  expect(await find([agentId], 'PEER')).toBe(id);
  expect(await find(['agt_peer'], 'default agent')).toBe(id);
  expect(await find([agentId], 'default agent')).toBeUndefined();
  expect(await find([agentId], 'peer', 'none')).toBeUndefined();
});

test('messages after a position are found behind thousands of others, in order, and no more than wanted', async () => {
  const { store, accountId, agentId, botId, conversation } = await withConversation();
  const wanted = await begin(store, accountId, botId, '2');
  const first = await put(store, wanted, {}, later(1));
  await sql`
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 2500)
    insert into messages (id, account_id, conversation_id, direction, text, status, created_at, changed_at)
    select 'msg_' || n, ${accountId}, ${conversation.id}, 'inbound', 'text', 'received', ${later(2)}, ${later(2)}
    from numbers`.execute(store.db);
  const last = [await put(store, wanted, {}, later(3)), await put(store, wanted, {}, later(4))];
  const scope = { accountId, agentIds: [agentId], platforms: null };
  const after = async (limit: number) => {
    const position = { createdAt: NOW, seq: 0 };
    const page = { position, filter: { conversationId: wanted.id }, limit };
    return (await messagesAfter(store.db, scope, page)).map(({ id }) => id);
  };
  expect(await after(10)).toEqual([first, ...last].map(({ id }) => id));
  expect(await after(2)).toEqual([first, last[0]!].map(({ id }) => id));
});
