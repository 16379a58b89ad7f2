import { expect, it } from 'vitest';
import type { Principal } from '../../../src/api/auth/principal.ts';
import { IdempotentRequests } from '../../../src/api/http/idempotency/idempotent-requests.ts';
import { botOwnerRoutes } from '../../../src/api/rest/bot-owner.ts';
import { dmRoutes } from '../../../src/api/rest/dms.ts';
import { insertAgent } from '../../../src/store/agents/agents.ts';
import { setConversationStatus } from '../../../src/store/messages/conversations.ts';
import { FakeMessenger, SILENT } from '../../support/fake-messenger.ts';
import { waitFor } from '../../support/wait-for.ts';
import { Outbound } from '../messaging/outbound-parts.ts';
import { NOW } from '../store/temporary.ts';
import { served } from './served.ts';

/** The endpoints over a real server; keys: `agent`, `other` (an agent without the bot), `both`, `stranger`, `settings`, `sip` and `telegram`. */
async function startServer(options: Parameters<typeof Outbound.open>[0] = {}) {
  const outbound = await Outbound.open(options);
  await outbound.bot();
  const { store, accountId, agentId, domain, clock } = outbound;
  await insertAgent(store.db, { id: 'agt_2', accountId, name: 'Second', isDefault: false, createdAt: NOW });
  const principal = (credentialId: string, agentIds: string[], more: Partial<Principal> = {}): Principal => ({
    accountId,
    kind: 'agent',
    credentialId,
    agentIds,
    platforms: null,
    ...more,
  });
  const principals: Record<string, Principal> = {
    agent: principal('key_1', [agentId]),
    other: principal('key_2', ['agt_2']),
    both: principal('key_3', ['agt_2', agentId]),
    stranger: principal('key_4', ['agt_9'], { accountId: 'acc_9' }),
    settings: principal('key_5', [], { kind: 'settings' }),
    foreign: principal('key_6', [], { kind: 'settings', accountId: 'acc_9' }),
    sip: principal('grt_1', ['agt_2', agentId], { kind: 'oauth', platforms: new Set(['sip'] as const) }),
    telegram: principal('grt_2', [agentId], { kind: 'oauth', platforms: new Set(['telegram'] as const) }),
  };
  const { url, failures } = await served([...dmRoutes(domain), ...botOwnerRoutes(domain)], {
    authenticate: (credential) => principals[credential ?? ''] ?? null,
    idempotency: new IdempotentRequests(store, clock, (error) => outbound.failures.push(error)),
  });
  const post = async (path: string, body: unknown, { as = 'agent', key = '' } = {}) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'X-API-Key': as, ...(key === '' ? {} : { 'Idempotency-Key': key }) },
      body: JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was answered and asserts on it
    const told: any = await answer.json();
    return { status: answer.status, body: told, headers: answer.headers };
  };
  const chat = (fields: Record<string, unknown>, who = {}) =>
    post('/api/dm/chat', { platform: 'telegram', ...fields }, who);
  return { outbound, messenger: outbound.messenger, clock, failures, post, chat };
}

/** With somebody who has written. */
async function conversing(options: Parameters<typeof Outbound.open>[0] = {}) {
  const opened = await startServer(options);
  const conversation = await opened.outbound.conversation();
  await opened.outbound.heard(conversation);
  return { ...opened, conversation };
}

it('answers 200 once the platform has the message, which is stored as its agent wrote it', async () => {
  const { outbound, chat, messenger } = await conversing();
  const answer = await chat({ text: 'Hello' });
  expect([answer.status, answer.body]).toEqual([
    200,
    { status: 'delivered', message_id: expect.stringMatching(/^msg_/), delivery: 'sync' },
  ]);
  expect(messenger.texts).toEqual(['Hello']);
  expect(messenger.taken[0]!.messageId).toBe(answer.body.message_id);
  expect(await outbound.message(answer.body.message_id)).toMatchObject({
    direction: 'outbound',
    senderAgentId: outbound.agentId,
    status: 'delivered',
    text: 'Hello',
  });
  expect(outbound.answered).toEqual([]);
});

it('lets a client write where it was let in', async () => {
  const { chat, messenger } = await conversing();
  expect((await chat({ text: 'Hello' }, { as: 'telegram' })).status).toBe(200);
  expect(messenger.texts).toEqual(['Hello']);
});

it('stores a message before it sends it', async () => {
  const { outbound, chat, messenger } = await conversing();
  messenger.will(async ({ messageId }) => {
    const { status } = await outbound.message(messageId);
    return { kind: 'refused', reason: `it was ${status}`, isAddressGone: false };
  });
  expect((await chat({ text: 'Hello' })).body.detail).toBe('Failed to send message: it was sending');
});

it('answers 404 without an active conversation that the agents of the key see', async () => {
  const { chat, outbound, conversation } = await conversing();
  const none = [404, { detail: 'No active conversation' }];
  for (const answer of [
    await chat({ text: 'x', platform: 'slack' }),
    await chat({ text: 'x' }, { as: 'other' }),
    await chat({ text: 'x' }, { as: 'stranger' }),
    await chat({ text: 'x' }, { as: 'sip' }),
    await chat({ text: 'x', conversation_id: conversation.id }, { as: 'sip' }),
    await chat({ text: 'x', platform: 'agent', peer: 'Second' }, { as: 'telegram' }),
    await chat({ text: 'x', conversation_id: 'cnv_none' }),
    await chat({ text: 'x', conversation_id: conversation.id }, { as: 'other' }),
    await chat({ text: 'x', conversation_id: conversation.id, platform: 'slack' }),
    await chat({ text: 'x', platform: 'agent' }),
  ])
    expect([answer.status, answer.body]).toEqual(none);
  await setConversationStatus(outbound.store.db, conversation.id, 'closed');
  expect((await chat({ text: 'x' })).status).toBe(404);
  expect((await chat({ text: 'x', conversation_id: conversation.id })).status).toBe(404);
  expect((await outbound.messages()).length).toBe(1);
});

it('writes to the conversation with the newest message, or to the one that is named', async () => {
  const { outbound, chat, messenger, conversation } = await conversing();
  const second = await outbound.conversation('43');
  await outbound.heard(second);
  await chat({ text: '1' });
  await chat({ text: '2', conversation_id: conversation.id });
  await chat({ text: '3' });
  expect(messenger.taken.map(({ to, text }) => `${text} ${to.remoteId}`)).toEqual(['1 43', '2 42', '3 42']);
});

it('answers 502 in the words of the platform, and beforehand for what is too long', async () => {
  const { outbound, chat, messenger } = await conversing();
  messenger.will({ kind: 'refused', reason: "Bad Request: can't parse entities", isAddressGone: false });
  const refused = await chat({ text: '*' });
  expect([refused.status, refused.body.detail]).toEqual([
    502,
    "Failed to send message: Bad Request: can't parse entities",
  ]);
  messenger.will({ kind: 'unknown', reason: 'connection reset', sentIds: [] });
  expect((await chat({ text: 'x' })).body.detail).toBe(
    'Failed to send message: connection reset; the message may still have arrived',
  );
  const stored = (await outbound.messages()).length;
  expect((await chat({ text: 'x'.repeat(messenger.maxLength) })).status).toBe(200);
  const long = await chat({ text: 'x'.repeat(messenger.maxLength + 1) });
  expect([long.status, long.body.detail]).toEqual([502, 'Failed to send message: too long']);
  expect((await outbound.messages()).length).toBe(stored + 1);
});

it('answers at the latest when its time is up', async () => {
  const { chat, messenger, clock } = await conversing();
  messenger.will(SILENT);
  const answer = chat({ text: 'x' });
  await waitFor('the attempt', () => messenger.asked.length === 1);
  clock.advance(25_000);
  expect((await answer).body.detail).toBe(
    'Failed to send message: no answer; the message may still have arrived',
  );
});

it('takes 1 to 10000 characters, or attachments without any', async () => {
  const { chat, messenger } = await conversing();
  messenger.maxLength = 100_000;
  for (const [fields, status] of [
    [{}, 422],
    [{ text: '' }, 422],
    [{ text: 'x' }, 200],
    [{ text: 'x'.repeat(10_000) }, 200],
    [{ text: 'x'.repeat(10_001) }, 422],
    [{ attachments: [] }, 422],
    [{ attachments: [{ file_id: 'f_1' }] }, 202],
    [{ text: '', attachments: [{ file_id: 'f_1' }] }, 202],
    [{ text: '', attachments: [] }, 422],
    [{ attachments: [{ file_id: 'f_1', url: 'http://x' }] }, 422],
    [{ attachments: Array.from({ length: 11 }, () => ({ file_id: 'f_1' })) }, 422],
    [{ text: 'x', platform: 'sip' }, 422],
    [{ text: 'x', keep_typing: 'perhaps' }, 422],
  ] as const)
    expect([(await chat(fields)).status, fields]).toEqual([status, fields]);
});

it('says what is missing of a message without a text', async () => {
  const { chat } = await conversing();
  const faultOf = async (fields: object) => (await chat({ ...fields })).body.detail[0];
  expect(await faultOf({})).toMatchObject({ loc: ['body', 'text'], msg: 'text or attachments is required' });
  expect(await faultOf({ text: '' })).toMatchObject({
    loc: ['body', 'text'],
    msg: 'String should have at least 1 characters',
  });
});

it('sends files, and counts their bytes', async () => {
  const { outbound, chat, messenger } = await conversing();
  const attachments = [{ file_id: 'f_1' }, { file_id: 'f_2' }];
  const { status, body } = await chat({ text: 'caption', attachments });
  expect(status).toBe(202);
  await waitFor('its end', async () => (await outbound.message(body.message_id)).status === 'delivered');
  expect(messenger.taken[0]!.attachments.map(({ name }) => name)).toEqual(['0.txt', '1.txt']);
  const [row] = await outbound.store.db.selectFrom('usageDays').selectAll().execute();
  expect(row).toMatchObject({ messages: 1, bytes: 2_000 });
  const { seq } = await outbound.message(body.message_id);
  const rows = await outbound.store.db
    .selectFrom('attachments')
    .selectAll()
    .where('messageSeq', '=', seq)
    .execute();
  expect(rows.map(({ position }) => position)).toEqual([0, 1]);
  // A caption may be shorter than a text.
  expect((await chat({ text: 'x'.repeat(2_000), attachments })).status).toBe(502);
});

/** The events without a message, as they are told. */
async function eventsIn({ store }: Outbound) {
  const rows = await store.db
    .selectFrom('events')
    .selectAll()
    .where('messageSeq', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(({ agentId, type, payload }) => ({ agentId, type, ...JSON.parse(payload) }));
}

it('answers 202 at once for a message with files, and tells by an event how sending it ended', async () => {
  const { outbound, chat, messenger, conversation } = await conversing();
  const release = messenger.hold();
  const attachments = [{ file_id: 'f_1' }];
  const first = await chat({ attachments });
  messenger.will({ kind: 'refused', reason: 'PHOTO_INVALID', isAddressGone: false });
  messenger.will({ kind: 'unknown', reason: 'connection reset', sentIds: [] });
  const others = [await chat({ text: 'a', attachments }), await chat({ text: 'b', attachments })];
  for (const { status, body } of [first, ...others])
    expect([status, body]).toEqual([
      202,
      { status: 'queued', message_id: expect.stringMatching(/^msg_/), reason: 'still_sending' },
    ]);
  expect(messenger.taken).toEqual([]);
  expect(await eventsIn(outbound)).toEqual([]);
  release();
  const events = await waitFor('their ends', async () => {
    const told = await eventsIn(outbound);
    return told.length === 3 ? told : null;
  });
  const common = {
    agentId: outbound.agentId,
    platform: 'telegram',
    conversation_id: conversation.id,
    event_id: expect.stringMatching(/^evt_/),
  };
  const [one, two] = others.map(({ body }) => body.message_id as string);
  expect(events).toEqual([
    { ...common, type: 'dm_sent', message_id: first.body.message_id },
    { ...common, type: 'dm_failed', message_id: one, status: 'failed', error: 'PHOTO_INVALID' },
    { ...common, type: 'dm_failed', message_id: two, status: 'unknown', error: 'connection reset' },
  ]);
});

it('lets a person wait on for an answer whose file could not be sent', async () => {
  const { outbound, chat, messenger, conversation } = await conversing();
  const { replies } = outbound.domain;
  const attachments = [{ file_id: 'f_1' }];
  const failing = async () => {
    const gate = Promise.withResolvers<void>();
    messenger.will(async () => {
      await gate.promise;
      return { kind: 'refused', reason: 'no', isAddressGone: false };
    });
    replies.begin(conversation.id);
    await chat({ attachments });
    expect(replies.isWatched(conversation.id)).toBe(false);
    return gate.resolve;
  };
  (await failing())();
  await waitFor('the person to wait on', () => replies.isWatched(conversation.id));
  const fail = await failing();
  const answer = chat({ text: 'an answer behind it' });
  await waitFor('it to be stored', async () => (await outbound.messages()).length === 4);
  fail();
  expect((await answer).status).toBe(200);
  expect(replies.isWatched(conversation.id)).toBe(false);
});

it('answers for a message with files as for any other where it must wait for the other side', async () => {
  const { outbound, chat } = await conversing({
    windows: {
      mustWait: async () => true,
      expiry: () => '2030-01-08T00:00:00.000Z',
      joined: async () => ({ kind: 'waits' as const, templateSent: true, position: 1 }),
      cameBack: () => Promise.reject(new Error('not sent')),
    },
  });
  const { status, body } = await chat({ attachments: [{ file_id: 'f_1' }] });
  expect([status, body]).toMatchObject([202, { reason: 'outside_24h_window', template_sent: true }]);
  expect(await eventsIn(outbound)).toEqual([]);
});

it('checks no caption of a file with which the platform shows none', async () => {
  const messenger = Object.assign(new FakeMessenger(), { dropsCaption: async () => true });
  const { chat } = await conversing({ messenger });
  const text = 'x'.repeat(2_000);
  expect((await chat({ text, attachments: [{ file_id: 'f_1' }] })).status).toBe(202);
  messenger.dropsCaption = async () => false;
  expect((await chat({ text, attachments: [{ file_id: 'f_1' }] })).status).toBe(502);
});

it('says 202 of what must wait until the other side writes', async () => {
  const { outbound, chat, messenger } = await conversing({
    windows: {
      mustWait: async () => true,
      expiry: () => '2030-01-08T00:00:00.000Z',
      joined: async () => ({ kind: 'waits' as const, templateSent: true, position: 1 }),
      cameBack: () => Promise.reject(new Error('not sent')),
    },
  });
  const { status, body } = await chat({ text: 'Hello?' });
  expect([status, body]).toEqual([
    202,
    {
      status: 'queued',
      message_id: expect.any(String),
      reason: 'outside_24h_window',
      template_sent: true,
      queue_position: 1,
    },
  ]);
  expect(await outbound.message(body.message_id)).toMatchObject({
    status: 'pending',
    expiresAt: '2030-01-08T00:00:00.000Z',
  });
  expect(messenger.asked).toEqual([]);
});

it('sends once, however often a request with a key comes', async () => {
  const { chat, messenger } = await conversing();
  const first = await chat({ text: 'Hello' }, { key: 'k' });
  const again = await chat({ text: 'Hello' }, { key: 'k' });
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect((await chat({ text: 'Other' }, { key: 'k' })).status).toBe(422);
  messenger.will({ kind: 'unknown', reason: 'reset', sentIds: [] });
  for (let i = 0; i < 2; i++) expect((await chat({ text: '2' }, { key: 'l' })).status).toBe(502);
  expect(messenger.asked).toHaveLength(2);
});

it('tells after a crash what became of the message of the same request', async () => {
  const { outbound, chat, messenger } = await conversing();
  const becomes = {
    delivered: 200,
    pending: 202,
    sending: 202,
    failed: 502,
    unknown: 502,
    dropped: 502,
  } as const;
  for (const [status, answered] of Object.entries(becomes)) {
    const { body } = await chat({ text: status }, { key: status });
    const { db } = outbound.store;
    await db
      .updateTable('messages')
      .set({ status: status as keyof typeof becomes, error: status === 'failed' ? 'too long' : null })
      .where('id', '=', body.message_id)
      .execute();
    // As the crash left it: begun, and not answered.
    await db
      .updateTable('idempotentRequests')
      .set({ status: null, sealedAnswer: null })
      .where('key', '=', status)
      .execute();
    const again = await chat({ text: status }, { key: status });
    expect([again.status, status]).toEqual([answered, status]);
    if (answered < 300) expect(again.body.message_id).toBe(body.message_id);
    if (status === 'failed') expect(again.body.detail).toBe('Failed to send message: too long');
  }
  expect(messenger.asked).toHaveLength(6);
});

it('shows typing until a message is sent, or goes on if asked to', async () => {
  const { outbound, post, chat, messenger, conversation } = await conversing();
  const { typing } = outbound.domain;
  expect(await post('/api/dm/typing', { platform: 'telegram' })).toMatchObject({
    status: 200,
    body: { status: 'ok' },
  });
  await waitFor('the indicator', () => messenger.typingTo.length === 1);
  expect(typing.shown).toBe(1);
  await chat({ text: '1' });
  expect(typing.shown).toBe(0);
  await chat({ text: '2', keep_typing: true });
  expect(typing.shown).toBe(1);
  await chat({ text: '3' });
  expect(typing.shown).toBe(0);
  for (const body of [{ platform: 'slack' }, { platform: 'telegram', conversation_id: 'cnv_none' }])
    expect((await post('/api/dm/typing', body)).status).toBe(404);
  const named = { platform: 'telegram', conversation_id: conversation.id };
  expect((await post('/api/dm/typing', named, { as: 'other' })).status).toBe(404);
  expect((await post('/api/dm/typing', { platform: 'sip' })).status).toBe(422);
});

it('refuses files where the platform takes none, and a platform that it has no connector for', async () => {
  const { outbound, chat } = await conversing({ messenger: new FakeMessenger('teams') });
  const files = await chat({ platform: 'teams', attachments: [{ file_id: 'f_1' }] });
  expect([files.status, files.body.detail]).toEqual([400, 'The teams platform does not support files']);
  expect((await chat({ platform: 'teams', text: 'x' })).status).toBe(200);
  await outbound.store.db.updateTable('conversations').set({ platform: 'discord' }).execute();
  const unserved = await chat({ platform: 'discord', text: 'x' });
  expect([unserved.status, unserved.body.detail]).toEqual([400, 'This gateway has no connector for discord']);
});

it('lets agents of one account write to each other', async () => {
  const { outbound, chat, messenger } = await startServer();
  const { db } = outbound.store;
  const sent = await chat({ platform: 'agent', peer: 'sEcond', task: 'order 7', text: 'Can you?' });
  expect(sent).toMatchObject({ status: 200, body: { status: 'delivered', delivery: 'sync' } });
  const answered = await chat({ platform: 'agent', text: 'I can' }, { as: 'other' });
  expect(answered.status).toBe(200);
  await chat({ platform: 'agent', peer: 'agt_2', text: 'Without a task' });

  const conversations = await db.selectFrom('conversations').selectAll().orderBy('lastSeq').execute();
  expect(
    conversations.map(({ agentId, peerAgentId, task, platform }) => [agentId, peerAgentId, task, platform]),
  ).toEqual([
    [outbound.agentId, 'agt_2', 'order 7', 'agent'],
    [outbound.agentId, 'agt_2', '', 'agent'],
  ]);
  const messages = await outbound.messages();
  expect(messages.map(({ senderAgentId, text, status }) => [senderAgentId, text, status])).toEqual([
    [outbound.agentId, 'Can you?', 'delivered'],
    ['agt_2', 'I can', 'delivered'],
    [outbound.agentId, 'Without a task', 'delivered'],
  ]);
  const events = await db
    .selectFrom('events')
    .select(['agentId', 'type', 'messageSeq'])
    .orderBy('id')
    .execute();
  expect(events).toEqual([
    { agentId: 'agt_2', type: 'dm_chat', messageSeq: messages[0]!.seq },
    { agentId: outbound.agentId, type: 'dm_chat', messageSeq: messages[1]!.seq },
    { agentId: 'agt_2', type: 'dm_chat', messageSeq: messages[2]!.seq },
  ]);
  expect([messenger.asked, outbound.woken.length]).toEqual([[], 3]);
});

it('finds the side of a key that has both, and no agent that is not there', async () => {
  const { outbound, chat } = await startServer();
  await chat({ platform: 'agent', peer: 'Second', text: '1' });
  await chat({ platform: 'agent', text: '2' }, { as: 'both' });
  await chat({ platform: 'agent', text: '3' }, { as: 'both' });
  await chat({ platform: 'agent', peer: 'Second', text: '4' }, { as: 'both' });
  const messages = await outbound.messages();
  expect(messages.map(({ senderAgentId }) => senderAgentId)).toEqual([
    outbound.agentId,
    'agt_2',
    outbound.agentId,
    outbound.agentId,
  ]);
  expect(new Set(messages.map(({ conversationId }) => conversationId)).size).toBe(1);
  for (const [peer, as] of [
    ['Nobody', 'agent'],
    ['Second', 'other'],
    ['Second', 'stranger'],
  ] as const) {
    const answer = await chat({ platform: 'agent', peer, text: 'x' }, { as });
    expect([answer.status, peer, as]).toEqual([404, peer, as]);
  }
});

it('finds an agent message again after a crash', async () => {
  const { outbound, chat } = await startServer();
  const fields = { platform: 'agent', peer: 'Second', text: '1' };
  const first = await chat(fields, { key: 'k' });
  await outbound.store.db
    .updateTable('idempotentRequests')
    .set({ status: null, sealedAnswer: null })
    .execute();
  expect((await chat(fields, { key: 'k' })).body).toEqual(first.body);
  expect(await outbound.messages()).toHaveLength(1);
});

it('sends a test message to the operator’s own account only', async () => {
  const { outbound, post, messenger } = await startServer();
  const { db } = outbound.store;
  const ask = (query = '', provider = 'telegram', as = 'settings') =>
    post(`/api/platforms/${provider}/test-dm${query}`, undefined, { as });
  const mark = (conversation_id: string, as = 'settings') =>
    post('/api/platforms/telegram/owner', { conversation_id }, { as });
  const reached = () => messenger.taken.map(({ to }) => [to.login.kind, to.remoteId]);
  expect(await ask('', 'discord')).toMatchObject({
    status: 400,
    body: { detail: 'No discord bot registered' },
  });
  expect(await ask('', 'whatsapp')).toMatchObject({
    status: 400,
    body: { detail: 'No whatsapp connection configured' },
  });
  expect((await ask('', 'icq')).status).toBe(404);
  expect((await ask('?connection_id=con_9')).body.detail).toBe('Connection not found');
  expect((await ask('', 'telegram', 'agent')).status).toBe(403);

  const stranger = await outbound.conversation('66');
  await outbound.heard(stranger);
  for (const query of ['', '?connection_id=bot_1']) {
    const refused = await ask(query);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain('POST /api/platforms/telegram/owner');
  }
  expect(reached()).toEqual([]);

  const own = await outbound.conversation('41');
  expect((await mark(own.id, 'agent')).status).toBe(403);
  expect((await mark(own.id, 'foreign')).status).toBe(404);
  expect((await mark('cnv_9')).body).toEqual({ detail: 'Conversation not found' });
  expect(await mark(own.id)).toMatchObject({
    status: 200,
    body: { bot_id: 'bot_1', conversation_id: own.id, remote_name: 'Person 41' },
  });
  await outbound.heard(stranger, 'The newest message is mine');
  expect((await ask()).status).toBe(200);
  expect(reached()).toEqual([['bot_token', '41']]);

  for (const [id, createdAt] of [
    ['con_1', '2030-01-01T00:00:00.000Z'],
    ['con_2', '2030-01-02T00:00:00.000Z'],
  ] as const)
    await db
      .insertInto('connections')
      .values({
        id,
        accountId: outbound.accountId,
        provider: 'telegram',
        label: `Me ${id}`,
        status: 'ok',
        loginKey: 'shared',
        remoteId: `of ${id}`,
        sealedCredentials: '',
        createdAt,
        updatedAt: createdAt,
      })
      .execute();
  await ask();
  await ask('?connection_id=con_1');
  await ask('?connection_id=bot_1');
  expect(reached().slice(1)).toEqual([
    ['shared', 'of con_2'],
    ['shared', 'of con_1'],
    ['bot_token', '41'],
  ]);
  const linked = await db
    .selectFrom('conversations')
    .select('id')
    .where('memberId', '=', 'con_1')
    .executeTakeFirstOrThrow();
  expect((await mark(linked.id)).status).toBe(400);
  messenger.will({ kind: 'refused', reason: 'Forbidden: bot was blocked by the user', isAddressGone: true });
  expect(await ask()).toMatchObject({
    status: 502,
    body: { detail: 'Failed to send message: Forbidden: bot was blocked by the user' },
  });
  await setConversationStatus(db, own.id, 'closed');
  expect((await ask('?connection_id=bot_1')).body).toEqual({ detail: 'No active conversation' });
});

it('reaches an owner although a bot that was registered later has none', async () => {
  const { outbound, post, messenger } = await startServer();
  const own = await outbound.conversation('41');
  await post('/api/platforms/telegram/owner', { conversation_id: own.id }, { as: 'settings' });
  await outbound.bot('bot_2');
  await outbound.heard(await outbound.conversation('66', 'bot_2'));
  expect((await post('/api/platforms/telegram/test-dm', undefined, { as: 'settings' })).status).toBe(200);
  expect(messenger.taken.map(({ to }) => to.remoteId)).toEqual(['41']);
});
