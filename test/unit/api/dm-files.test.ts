import { expect, it } from 'vitest';
import { FakeMessenger } from '../../support/fake-messenger.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Outbound } from '../messaging/outbound-harness.ts';
import { conversing } from './dm-setup.ts';

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
  // A caption may have a shorter limit than a text.
  expect((await chat({ text: 'x'.repeat(2_000), attachments })).status).toBe(502);
});

/** The events that are not messages, as clients receive them. */
async function eventsIn({ store }: Outbound) {
  const rows = await store.db
    .selectFrom('events')
    .selectAll()
    .where('messageSeq', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(({ agentId, type, payload }) => ({ agentId, type, ...payload }));
}

it('returns 202 at once for a message with files, and reports the outcome by an event', async () => {
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

it('keeps a person waiting for the answer when its file could not be sent', async () => {
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

it('returns the usual answer for a message with files that must wait for the other side', async () => {
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

it('does not check the length of a caption that the platform drops', async () => {
  const captions = { dropsCaption: async () => true };
  const messenger = Object.assign(new FakeMessenger(), { captions });
  const { chat } = await conversing({ messenger });
  const text = 'x'.repeat(2_000);
  expect((await chat({ text, attachments: [{ file_id: 'f_1' }] })).status).toBe(202);
  captions.dropsCaption = async () => false;
  expect((await chat({ text, attachments: [{ file_id: 'f_1' }] })).status).toBe(502);
});
