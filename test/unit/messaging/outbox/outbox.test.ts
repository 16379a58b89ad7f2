import fc from 'fast-check';
import { expect, it } from 'vitest';
import { directAddress } from '../../../../src/base/address.ts';
import type { SendOutcome } from '../../../../src/connectors/contract/messenger.ts';
import { MOST_WAITING_EACH, type Settled } from '../../../../src/messaging/outbox/outbox.ts';
import { writeMessage } from '../../../../src/messaging/outbox/write-message.ts';
import type { WindowGuard } from '../../../../src/messaging/window/window-guard.ts';
import { DEAD, SILENT } from '../../../support/fake-messenger.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { LATER, outbox, WITHIN_MS } from './outbox-setup.ts';

it('records what the platform accepted, with its ids, and counts it', async () => {
  const { outbound, settle, last, messenger } = await outbox();
  messenger.will({ kind: 'sent', platformMessageIds: ['7', '8'] });
  expect(await settle('Hello')).toEqual({ kind: 'delivered' });
  expect(await last()).toMatchObject({ text: 'Hello', status: 'delivered', error: null });
  const names = await outbound.store.db.selectFrom('platformMessages').select('platformMessageId').execute();
  expect(names.map((row) => row.platformMessageId).sort()).toEqual(['7', '8']);
  await settle('again');
  const usage = await outbound.store.db.selectFrom('usageDays').selectAll().execute();
  expect(usage).toMatchObject([
    { accountId: outbound.accountId, platform: 'telegram', day: '2030-01-01', messages: 2, bytes: 0 },
  ]);
  expect(messenger.asked.map(({ to, text }) => [to, text])).toEqual([
    [directAddress({ kind: 'bot_token', id: 'bot_1' }, '42'), 'Hello'],
    [directAddress({ kind: 'bot_token', id: 'bot_1' }, '42'), 'again'],
  ]);
  expect(outbound.settled).toEqual(['telegram delivered', 'telegram delivered']);
  expect(outbound.woken).toContain(outbound.accountId);
});

it('retries as the platform requests, within its time limit', async () => {
  const { settle, last, messenger, outbound } = await outbox();
  messenger.will(LATER, LATER);
  const beganMs = outbound.clock.monotonicMs();
  expect(await settle('Hello')).toEqual({ kind: 'delivered' });
  expect(messenger.asked).toHaveLength(3);
  expect(outbound.clock.monotonicMs() - beganMs).toBeGreaterThanOrEqual(6_000);
  expect(await last()).toMatchObject({ status: 'delivered' });
});

it('gives up with the platform’s reason when a retry would take too long', async () => {
  const { settle, last, messenger } = await outbox();
  messenger.will({ ...LATER, afterMs: WITHIN_MS });
  expect(await settle('Hello')).toEqual({ kind: 'failed', reason: 'Too Many Requests' });
  expect(messenger.asked).toHaveLength(1);
  messenger.otherwise = LATER;
  expect(await settle('again', 100)).toEqual({ kind: 'failed', reason: 'Too Many Requests' });
  expect(await last()).toMatchObject({ text: 'again', status: 'failed', error: 'Too Many Requests' });
  expect(messenger.asked).toHaveLength(1 + Math.ceil(WITHIN_MS / 3_000));
});

it('records a refusal, and closes a conversation whose other side is gone', async () => {
  const { outbound, conversation, settle, last, messenger } = await outbox();
  messenger.will({ kind: 'refused', reason: 'message is too long', isAddressGone: false });
  expect(await settle('Hello')).toEqual({ kind: 'failed', reason: 'message is too long' });
  expect(await last()).toMatchObject({ status: 'failed', error: 'message is too long' });
  expect(await outbound.statusOf(conversation)).toBe('active');
  messenger.will({ kind: 'refused', reason: 'bot was blocked by the user', isAddressGone: true });
  await settle('Hello?');
  expect(await outbound.statusOf(conversation)).toBe('closed');
  expect(await outbound.store.db.selectFrom('usageDays').selectAll().execute()).toEqual([]);
});

it('reports when it is unknown whether a message arrived', async () => {
  const { outbound, settle, last, messenger } = await outbox();
  messenger.will({ kind: 'unknown', reason: 'connection reset', sentIds: ['7'] });
  expect(await settle('1')).toEqual({ kind: 'unknown', reason: 'connection reset' });
  expect(await last()).toMatchObject({ status: 'unknown', error: 'connection reset' });
  const [name] = await outbound.store.db.selectFrom('platformMessages').select('platformMessageId').execute();
  expect(name).toEqual({ platformMessageId: '7' });

  messenger.will(SILENT);
  expect(await settle('2')).toEqual({ kind: 'unknown', reason: 'no answer' });
  messenger.will(DEAD);
  expect(await settle('3')).toEqual({ kind: 'unknown', reason: 'The platform did not answer' });
  messenger.will(() => Promise.reject(new Error('a bug')));
  expect(await settle('4')).toEqual({ kind: 'unknown', reason: 'Sending the message failed' });
  expect(outbound.failures).toEqual([new Error('a bug')]);
  expect(await settle('5')).toEqual({ kind: 'delivered' });
});

it('sends the messages of one conversation in order, and those of another meanwhile', async () => {
  const { outbound, send, messenger } = await outbox();
  const release = messenger.hold();
  const both = [send('1'), send('2')];
  await waitFor('the first', () => messenger.asked.length === 1);
  const other = await outbound.conversation('43');
  const third = outbound.domain.outbox.deliver(await outbound.outgoing(other, 'other'), WITHIN_MS);
  expect(await third).toEqual({ kind: 'delivered' });
  expect(messenger.texts).toEqual(['other']);
  expect([outbound.domain.outbox.waiting, outbound.domain.outbox.isBusy(other.id)]).toEqual([2, false]);
  release();
  await Promise.all(both);
  expect(messenger.texts).toEqual(['other', '1', '2']);
  expect(outbound.domain.outbox.waiting).toBe(0);
});

it('gives up a message whose turn does not come in time, and never sends it', async () => {
  const { outbound, conversation, last, messenger } = await outbox();
  messenger.will(SILENT);
  const { outbox: queue } = outbound.domain;
  const first = queue.deliver(await outbound.outgoing(conversation, '1'), 30_000);
  const second = queue.deliver(await outbound.outgoing(conversation, '2'), 10_000);
  await waitFor('the first', () => messenger.asked.length === 1);
  outbound.clock.advance(30_000);
  expect(await first).toMatchObject({ kind: 'unknown' });
  expect(await second).toEqual({
    kind: 'failed',
    reason: 'Earlier messages of this conversation took too long to send',
  });
  expect([messenger.asked.length, (await last()).status]).toEqual([1, 'failed']);
});

it('refuses more than its limit in one conversation', async () => {
  const { outbound, conversation, messenger } = await outbox();
  const release = messenger.hold();
  const { outbox: queue } = outbound.domain;
  const going: Promise<Settled>[] = [];
  for (let i = 0; i < MOST_WAITING_EACH; i++) {
    queue.assertRoom(conversation.id);
    going.push(queue.deliver(await outbound.outgoing(conversation, `${i}`), WITHIN_MS));
  }
  const full = 'At most 100 messages may be queued per conversation';
  expect(() => queue.assertRoom(conversation.id)).toThrow(full);
  expect(outbound.full).toEqual(['outbox']);
  expect(() => queue.assertRoom('cnv_other')).not.toThrow();
  release();
  await Promise.all(going);
  expect(messenger.texts).toEqual(Array.from({ length: MOST_WAITING_EACH }, (_, i) => `${i}`));
  expect(() => queue.assertRoom(conversation.id)).not.toThrow();
});

it('lets one account have 1,000 waiting messages, without affecting others', async () => {
  const { outbound, messenger } = await outbox();
  // The first message of each conversation is held up, and so are those behind it.
  const releases = Array.from({ length: 20 }, () => messenger.hold());
  const { outbox: queue } = outbound.domain;
  const going: Promise<Settled>[] = [];
  for (let i = 0; i < 1_000; i++) {
    const conversation = await outbound.conversation(`${i % 20}`);
    const draft = { senderAgentId: outbound.agentId, text: `${i}`, files: [], request: null };
    const { settled } = await writeMessage(outbound.domain, conversation.id, draft, WITHIN_MS);
    going.push(settled);
  }
  const fresh = await outbound.conversation('fresh');
  const draft = { senderAgentId: outbound.agentId, text: 'one more', files: [], request: null };
  await expect(writeMessage(outbound.domain, fresh.id, draft, WITHIN_MS)).rejects.toMatchObject({
    code: 'too_many_messages',
    message: 'At most 1000 messages may be queued per account, and fewer while many accounts send',
  });
  expect(() => queue.assertRoom('cnv_of_another')).not.toThrow();
  expect(() => queue.assertRoomOf('acc_other')).not.toThrow();
  for (const release of releases) release();
  await Promise.all(going);
  await (await writeMessage(outbound.domain, fresh.id, draft, WITHIN_MS)).settled;
  expect(messenger.texts.at(-1)).toBe('one more');
});

it('finishes the attempt in progress when it closes, and gives up the rest', async () => {
  const { outbound, send, messenger } = await outbox();
  messenger.will(LATER);
  const waiting = send('1');
  await waitFor('the first try', () => messenger.asked.length === 1);
  const behind = send('2');
  await outbound.domain.outbox.close(60_000);
  const givenUp = { kind: 'failed', reason: 'The gateway is closing' };
  expect([await waiting, await behind]).toEqual([givenUp, givenUp]);
  expect(() => outbound.domain.outbox.assertRoom('cnv_1')).toThrow('The gateway is closing');
});

it('stops an attempt that would outlast the close, with an unknown outcome', async () => {
  const { outbound, send, last, messenger } = await outbox();
  messenger.will(SILENT);
  const sending = send('1');
  await waitFor('the attempt', () => messenger.asked.length === 1);
  await outbound.domain.outbox.close(200);
  expect(await sending).toEqual({ kind: 'unknown', reason: 'no answer' });
  expect((await last()).status).toBe('unknown');
});

/** A guard that holds back selected messages, and records its calls. */
function guard() {
  const calls: string[] = [];
  const state = { isClosed: false };
  const windows: WindowGuard = {
    mustWait: async () => state.isClosed,
    expiry: () => '2030-01-08T00:00:00.000Z',
    joined: async (id) => {
      calls.push(`joined ${id}`);
      return { kind: 'waits', templateSent: false, position: 2 };
    },
    cameBack: async (id) => {
      calls.push(`came back ${id}`);
      state.isClosed = true;
      return { kind: 'waits', templateSent: true, position: 1 };
    },
  };
  return { calls, state, windows };
}

it('hands a message over that a closed window refuses, and those behind it', async () => {
  const { calls, windows } = guard();
  const { outbound, conversation, messenger } = await outbox({ windows });
  messenger.will({ kind: 'window_closed' });
  const [first, second] = [
    await outbound.outgoing(conversation, '1'),
    await outbound.outgoing(conversation, '2'),
  ];
  const { outbox: queue } = outbound.domain;
  const both = [queue.deliver(first, WITHIN_MS), queue.deliver(second, WITHIN_MS)];
  expect(await Promise.all(both)).toEqual([
    { kind: 'waits', templateSent: true, position: 1 },
    { kind: 'waits', templateSent: false, position: 2 },
  ]);
  expect(calls).toEqual([`came back ${first.message.id}`, `joined ${second.message.id}`]);
  expect(messenger.asked).toHaveLength(1);
});

it('fails a message that a closed window refuses when there is no queue for it', async () => {
  const { settle, messenger } = await outbox();
  messenger.will({ kind: 'window_closed' });
  expect(await settle('1')).toEqual({ kind: 'failed', reason: 'The recipient must write first' });
});

const outcomes = fc.oneof(
  { weight: 4, arbitrary: fc.constant<SendOutcome>({ kind: 'sent', platformMessageIds: [] }) },
  fc.constant<SendOutcome>({ kind: 'refused', reason: 'no', isAddressGone: false }),
  fc.constant<SendOutcome>({ kind: 'unknown', reason: 'reset', sentIds: [] }),
  fc
    .integer({ min: 0, max: 40_000 })
    .map((afterMs): SendOutcome => ({ kind: 'later', reason: 'busy', afterMs })),
);

it('settles every message once, and sends in order, whatever the platform answers', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(outcomes, { maxLength: 25 }),
      fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 15 }),
      async (answers, remotes) => {
        const { outbound, messenger } = await outbox();
        messenger.will(...answers);
        const conversations = await Promise.all(['a', 'b', 'c'].map((each) => outbound.conversation(each)));
        const going: Promise<Settled>[] = [];
        for (const [i, remote] of remotes.entries()) {
          const outgoing = await outbound.outgoing(conversations[remote]!, `${i}`);
          going.push(outbound.domain.outbox.deliver(outgoing, WITHIN_MS));
        }
        let ended: Settled[] | null = null;
        void Promise.all(going).then((settled) => {
          ended = settled;
        });
        const all = await waitFor('all to end', async () => {
          await outbound.store.db.selectFrom('facts').select('name').execute();
          outbound.clock.advance(2_000);
          return ended as Settled[] | null;
        });
        const rows = (await outbound.messages()).filter(({ direction }) => direction === 'outbound');
        expect(rows.map(({ status }) => status)).toEqual(all.map(({ kind }) => kind));
        for (const { remoteId } of conversations) {
          const taken = messenger.taken
            .filter(({ to }) => to.space.id === remoteId)
            .map(({ text }) => Number(text));
          expect(taken).toEqual([...taken].sort((a, b) => a - b));
          expect(new Set(taken).size).toBe(taken.length);
        }
        expect(outbound.domain.outbox.waiting).toBe(0);
      },
    ),
    { numRuns: 20 },
  );
});
