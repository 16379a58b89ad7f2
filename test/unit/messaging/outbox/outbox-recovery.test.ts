import { expect, it } from 'vitest';
import { type Recovered, recoverOutbox } from '../../../../src/messaging/outbox/recover-outbox.ts';
import { writeMessage } from '../../../../src/messaging/outbox/write-message.ts';
import { changeMessageStatus } from '../../../../src/store/messages/outbound-messages.ts';
import { DEAD, FakeMessenger } from '../../../support/fake-messenger.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { Outbound } from '../outbound-harness.ts';
import { LATER, outbox, WITHIN_MS } from './outbox-setup.ts';

async function recovered(outbound: Outbound): Promise<Recovered> {
  return await recoverOutbox(outbound.domain, outbound.domain.outbox, (error) =>
    outbound.failures.push(error),
  );
}

it('marks messages in flight at a restart as unknown, and does not send them again', async () => {
  const { outbound, conversation } = await outbox();
  for (let i = 0; i < 250; i++) await outbound.outgoing(conversation, `${i}`);
  const [, delivered, failed] = await outbound.messages();
  await changeMessageStatus(
    outbound.store.db,
    delivered!.seq,
    { from: ['sending'], change: { status: 'delivered' } },
    '',
  );
  await changeMessageStatus(
    outbound.store.db,
    failed!.seq,
    { from: ['sending'], change: { status: 'failed' } },
    '',
  );
  const next = await Outbound.open({ store: outbound.store });
  expect(await recovered(next)).toEqual({ unknown: 248, resent: 0, failed: 0 });
  const statuses = Map.groupBy(await next.messages(), ({ status }) => status);
  expect([...statuses].map(([status, rows]) => [status, rows.length]).sort()).toEqual([
    ['delivered', 1],
    ['failed', 1],
    ['unknown', 248],
  ]);
  expect(next.messenger.asked).toEqual([]);
  expect(await recovered(next)).toEqual({ unknown: 0, resent: 0, failed: 0 });
});

it('sends them again, in order and once there are logins, where the platform drops duplicates', async () => {
  const { outbound, conversation } = await outbox();
  for (let i = 0; i < 120; i++) await outbound.outgoing(conversation, `${i}`);
  const messenger = Object.assign(new FakeMessenger(), { dropsDuplicatesForMs: Number.POSITIVE_INFINITY });
  const ready = Promise.withResolvers<void>();
  const next = await Outbound.open({ store: outbound.store, messenger, ready: ready.promise });
  expect(await recovered(next)).toEqual({ unknown: 0, resent: 120, failed: 0 });
  for (let i = 0; i < 10; i++) await next.store.db.selectFrom('facts').select('name').execute();
  expect(messenger.asked).toEqual([]);
  ready.resolve();
  await waitFor('all of them', () => next.domain.outbox.waiting === 0);
  expect(messenger.texts).toEqual(Array.from({ length: 120 }, (_, i) => `${i}`));
  expect(new Set((await next.messages()).map(({ status }) => status))).toEqual(new Set(['delivered']));
});

it('is in doubt about what the platform then refuses: it may have accepted it before', async () => {
  const { outbound, conversation } = await outbox();
  await outbound.outgoing(conversation, '1');
  const messenger = Object.assign(new FakeMessenger(), { dropsDuplicatesForMs: Number.POSITIVE_INFINITY });
  messenger.will({ kind: 'refused', reason: 'blocked', isAddressGone: false });
  const next = await Outbound.open({ store: outbound.store, messenger });
  expect(await recovered(next)).toEqual({ unknown: 0, resent: 1, failed: 0 });
  await waitFor('the outcome', () => next.domain.outbox.waiting === 0);
  expect((await next.messages()).map(({ status, error }) => [status, error])).toEqual([
    ['unknown', 'blocked'],
  ]);
});

/** A message with a file, as an agent writes it. */
async function inBackground(outbound: Outbound, conversationId: string, text: string) {
  const files = await outbound.domain.resolveFiles(
    outbound.accountId,
    [{ fileId: 'f_1' }],
    new AbortController().signal,
  );
  const draft = { senderAgentId: outbound.agentId, text, files, request: null };
  return await writeMessage(outbound.domain, conversationId, draft, WITHIN_MS);
}

async function endsOf({ store }: Outbound): Promise<string[]> {
  const rows = await store.db.selectFrom('events').select(['type', 'payload']).orderBy('id').execute();
  return rows.map(({ type, payload }) => `${type} ${payload.status ?? ''}`.trim());
}

it('leaves unstarted background messages to the next start, which sends them', async () => {
  const { outbound, conversation, messenger } = await outbox();
  messenger.will(LATER);
  const first = await inBackground(outbound, conversation.id, '1');
  await waitFor('the first try', () => messenger.asked.length === 1);
  const second = await inBackground(outbound, conversation.id, '2');
  await outbound.domain.outbox.close(60_000);
  expect([await first.settled, await second.settled]).toEqual([{ kind: 'left' }, { kind: 'left' }]);
  expect((await outbound.messages()).map(({ status, background }) => [status, background])).toEqual([
    ['sending', 'waiting'],
    ['sending', 'waiting'],
  ]);
  const next = await Outbound.open({ store: outbound.store });
  expect(await recovered(next)).toEqual({ unknown: 0, resent: 2, failed: 0 });
  await waitFor('both', () => next.domain.outbox.waiting === 0);
  expect(next.messenger.texts).toEqual(['1', '2']);
  expect(await endsOf(next)).toEqual(['dm_sent', 'dm_sent']);
});

it('never resends a background message that may have arrived, and reports it', async () => {
  const { outbound, conversation, messenger } = await outbox();
  messenger.will(DEAD);
  await inBackground(outbound, conversation.id, '1');
  await waitFor('the attempt', () => messenger.asked.length === 1);
  await inBackground(outbound, conversation.id, '2');
  // The state that `kill -9` leaves.
  const next = await Outbound.open({ store: outbound.store });
  expect(await recovered(next)).toEqual({ unknown: 1, resent: 1, failed: 0 });
  await waitFor('the second', () => next.domain.outbox.waiting === 0);
  expect(next.messenger.texts).toEqual(['2']);
  expect(await endsOf(next)).toEqual(['dm_failed unknown', 'dm_sent']);
});

it('fails messages that cannot be sent after a restart, and waits for the logins with the others', async () => {
  const { outbound, conversation, messenger } = await outbox();
  const gone = await outbound.conversation('43', 'bot_1');
  messenger.will(DEAD, DEAD);
  await inBackground(outbound, conversation.id, '1');
  await inBackground(outbound, gone.id, '2');
  await waitFor('the attempts', () => messenger.asked.length === 2);
  const { db } = outbound.store;
  await db.updateTable('messages').set({ background: 'waiting' }).execute();
  await db
    .updateTable('conversations')
    .set({ memberType: 'connection', memberId: 'con_9' })
    .where('id', '=', gone.id)
    .execute();
  const ready = Promise.withResolvers<void>();
  const next = await Outbound.open({ store: outbound.store, ready: ready.promise });
  expect(await recovered(next)).toEqual({ unknown: 0, resent: 1, failed: 1 });
  for (let i = 0; i < 10; i++) await db.selectFrom('facts').select('name').execute();
  expect(next.messenger.asked).toEqual([]);
  ready.resolve();
  await waitFor('the other', () => next.domain.outbox.waiting === 0);
  expect(next.messenger.texts).toEqual(['1']);
});
