import { expect, it } from 'vitest';
import { changeRows } from '../../../src/store/database/rows.ts';
import { FakeMessenger, SILENT } from '../../support/fake-messenger.ts';
import { waitFor } from '../../support/wait-for.ts';
import { conversing } from './dm-setup.ts';

it('returns 200 once the platform has the message, which is stored as its agent wrote it', async () => {
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

it('lets a client write on a platform it was granted', async () => {
  const { chat, messenger } = await conversing();
  expect((await chat({ text: 'Hello' }, { as: 'telegram' })).status).toBe(200);
  expect(messenger.texts).toEqual(['Hello']);
});

it('refuses to guess the person that a peer of another platform names', async () => {
  const { chat, messenger } = await conversing();
  const answer = await chat({ text: 'Hello', peer: '42' });
  expect([answer.status, answer.body]).toEqual([
    422,
    {
      detail: [
        expect.objectContaining({
          loc: ['body', 'peer'],
          msg: expect.stringContaining('to choose a person, use conversation_id'),
        }),
      ],
      code: 'validation_failed',
    },
  ]);
  expect(messenger.texts).toEqual([]);
});

it('stores a message before it sends it', async () => {
  const { outbound, chat, messenger } = await conversing();
  messenger.will(async ({ messageId }) => {
    const { status } = await outbound.message(messageId);
    return { kind: 'refused', reason: `it was ${status}`, isAddressGone: false };
  });
  expect((await chat({ text: 'Hello' })).body.detail).toBe('Failed to send message: it was sending');
});

it('returns 404 without an active conversation that the agents of the key can see', async () => {
  const { chat, outbound, conversation } = await conversing();
  const none = [404, { detail: 'No active conversation', code: 'no_conversation' }];
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
  await changeRows(outbound.store.db, 'conversations', { id: conversation.id }, { status: 'closed' });
  expect((await chat({ text: 'x' })).status).toBe(404);
  expect((await chat({ text: 'x', conversation_id: conversation.id })).status).toBe(404);
  expect((await outbound.messages()).length).toBe(1);
});

it('writes to the conversation with the newest message, or to the named one', async () => {
  const { outbound, chat, messenger, conversation } = await conversing();
  const second = await outbound.conversation('43');
  await outbound.heard(second);
  await chat({ text: '1' });
  await chat({ text: '2', conversation_id: conversation.id });
  await chat({ text: '3' });
  expect(messenger.taken.map(({ to, text }) => `${text} ${to.space.id}`)).toEqual(['1 43', '2 42', '3 42']);
});

it('returns 502 with the platform’s own message, and checks the length before sending', async () => {
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

it('returns an answer no later than its time limit', async () => {
  const { chat, messenger, clock } = await conversing();
  messenger.will(SILENT);
  const answer = chat({ text: 'x' });
  await waitFor('the attempt', () => messenger.asked.length === 1);
  clock.advance(25_000);
  expect((await answer).body.detail).toBe(
    'Failed to send message: no answer; the message may still have arrived',
  );
});

it('accepts 1 to 10000 characters, or attachments without text', async () => {
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

it('names the missing field of a message without text', async () => {
  const { chat } = await conversing();
  const faultOf = async (fields: object) => (await chat({ ...fields })).body.detail[0];
  expect(await faultOf({})).toMatchObject({ loc: ['body', 'text'], msg: 'text or attachments is required' });
  expect(await faultOf({ text: '' })).toMatchObject({
    loc: ['body', 'text'],
    msg: 'String should have at least 1 character',
  });
});

it('returns 202 for a message that must wait until the other side writes', async () => {
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

it('sends a message once, however often the request with its idempotency key is repeated', async () => {
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

it('reports the outcome of the original request after a crash', async () => {
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
    // The state after a crash: started, and not answered.
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

it('shows typing until a message is sent, or longer on request', async () => {
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

it('refuses files where the platform supports none, and platforms without a connector', async () => {
  const { outbound, chat } = await conversing({ messenger: new FakeMessenger('teams', false) });
  const files = await chat({ platform: 'teams', attachments: [{ file_id: 'f_1' }] });
  expect([files.status, files.body.detail]).toEqual([400, 'The teams platform does not support files']);
  expect((await chat({ platform: 'teams', text: 'x' })).status).toBe(200);
  await outbound.store.db.updateTable('conversations').set({ platform: 'discord' }).execute();
  const unserved = await chat({ platform: 'discord', text: 'x' });
  expect([unserved.status, unserved.body.detail]).toEqual([400, 'This gateway has no connector for discord']);
});
