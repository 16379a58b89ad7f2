import { expect, onTestFinished, test } from 'vitest';
import { type Address, directAddress } from '../../../../src/base/address.ts';
import type { AwaitedReply, OutboundMessage } from '../../../../src/connectors/contract/messenger.ts';
import type { Settled } from '../../../../src/messaging/outbox/outbox.ts';
import { recoverOutbox } from '../../../../src/messaging/outbox/recover-outbox.ts';
import { MAX_WAITS_OF_ACCOUNT, WebhookAnswers } from '../../../../src/messaging/outbox/webhook-answers.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { Outbound } from '../outbound-harness.ts';

const WITHIN_MS = 25_000;
const SENT = { kind: 'sent', platformMessageIds: [] } as const;
const STAYS = new AbortController().signal;
const ADA = directAddress({ kind: 'bot_token', id: 'bot_1' }, '42');

function message(to: Address, text = 'Hello'): OutboundMessage {
  return { messageId: `msg_${text}`, to, text, attachments: [] };
}

function answers() {
  const clock = new ManualClock();
  const full: true[] = [];
  const waits = new WebhookAnswers(clock, () => void full.push(true));
  onTestFinished(() => waits.close());
  const wait = (from = ADA, withinMs = 10_000, gone: AbortSignal = STAYS, accountId = 'acc_a') =>
    waits.wait('telegram', { accountId, from }, withinMs, gone);
  return { clock, full, waits, wait, offer: (to: Address) => waits.offer('telegram', message(to)) };
}

/** An outbound side with a conversation, and its webhook's wait. */
async function outbound() {
  const world = await Outbound.open();
  await world.bot();
  const conversation = await world.conversation('42');
  const { answers: waits, outbox } = world.domain;
  const wait = (gone: AbortSignal = STAYS) =>
    waits.wait('telegram', { accountId: 'acc_a', from: ADA }, 10_000, gone);
  const send = async (text: string): Promise<Settled> =>
    await outbox.deliver(await world.outgoing(conversation, text), WITHIN_MS);
  const statuses = async () => (await world.messages()).map(({ text, status }) => `${text}: ${status}`);
  return { world, conversation, wait, send, statuses, messenger: world.messenger };
}

test('the next message answers the webhook that waits, and is not sent', async () => {
  const { wait, send, statuses, messenger } = await outbound();
  const waiting = wait();
  const settled = send('1');
  const reply = await waiting;
  expect(reply?.message).toMatchObject({ text: '1', to: ADA });
  expect(await statuses()).toEqual(['1: sending']);
  reply!.settle(SENT);
  expect(await settled).toEqual({ kind: 'delivered' });
  expect(await statuses()).toEqual(['1: delivered']);
  expect(messenger.asked).toEqual([]);
  await send('2');
  expect(messenger.texts).toEqual(['2']);
});

test('a message after the deadline is sent', async () => {
  const { world, wait, send, messenger } = await outbound();
  const waiting = wait();
  world.clock.advance(9_999);
  expect(world.domain.answers.waiting).toBe(1);
  world.clock.advance(1);
  expect(await waiting).toBeNull();
  expect(await send('1')).toEqual({ kind: 'delivered' });
  expect(messenger.texts).toEqual(['1']);
});

test('a message is sent when the client has gone, before it was written or just then', async () => {
  const { world, wait, send, statuses, messenger } = await outbound();
  const gone = new AbortController();
  const waiting = wait(gone.signal);
  gone.abort();
  expect(await waiting).toBeNull();
  expect(world.domain.answers.waiting).toBe(0);
  await send('1');
  const next = wait();
  const settled = send('2');
  // The connector got the message, and could not write any of it.
  (await next)!.settle(null);
  expect(await settled).toEqual({ kind: 'delivered' });
  expect(messenger.texts).toEqual(['1', '2']);
  expect(await statuses()).toEqual(['1: delivered', '2: delivered']);
});

test('a message that was being written when the client went is unknown, and not sent', async () => {
  const { wait, send, statuses, messenger } = await outbound();
  const waiting = wait();
  const settled = send('1');
  (await waiting)!.settle({ kind: 'unknown', reason: 'The platform disconnected', sentIds: [] });
  expect((await settled).kind).toBe('unknown');
  expect(await statuses()).toEqual(['1: unknown']);
  expect(messenger.asked).toEqual([]);
});

test('a connector that never reports leaves the message unknown', async () => {
  const { world, wait, send, messenger } = await outbound();
  const waiting = wait();
  const settled = send('1');
  expect(await waiting).not.toBeNull();
  world.clock.advance(WITHIN_MS + 2_000);
  expect((await settled).kind).toBe('unknown');
  expect(messenger.asked).toEqual([]);
});

test('of two webhooks of one conversation, the first gets the next message, and the one after it is sent', async () => {
  const { wait, send, messenger } = await outbound();
  const first = wait();
  expect(await wait()).toBeNull();
  const one = send('1');
  const two = send('2');
  const reply = await first;
  expect(reply?.message.text).toBe('1');
  // Messages of a conversation go out one at a time.
  expect(messenger.asked).toEqual([]);
  reply!.settle(SENT);
  expect([await one, await two]).toEqual([{ kind: 'delivered' }, { kind: 'delivered' }]);
  expect(messenger.texts).toEqual(['2']);
});

test('a message with files is sent, and the webhook waits on', async () => {
  const { waits, wait } = answers();
  const waiting = wait();
  const file = { name: 'a', mime: 'text/plain', sizeBytes: 0, open: async function* () {} };
  expect(await waits.offer('telegram', { ...message(ADA), attachments: [file] })).toBeNull();
  void waits.offer('telegram', message(ADA));
  expect((await waiting)?.message.text).toBe('Hello');
});

test('a webhook gets messages to its own conversation only', async () => {
  const { waits, wait, offer } = answers();
  const waiting = wait();
  const others: Address[] = [
    directAddress({ kind: 'bot_token', id: 'bot_2' }, '42'),
    directAddress({ kind: 'shared' }, '42'),
    directAddress(ADA.login, '43'),
    { ...ADA, thread: '1' },
    { ...ADA, space: { kind: 'channel', id: '42' } },
  ];
  for (const other of others) expect(await offer(other)).toBeNull();
  expect(await waits.offer('slack', message(ADA))).toBeNull();
  // Whose message it was does not matter.
  void offer({ ...ADA, person: null });
  expect(await waiting).not.toBeNull();
});

test('a message that was the answer of a webhook when the gateway died is unknown, and not sent again', async () => {
  const { world, wait, send, statuses } = await outbound();
  const waiting = wait();
  void send('1');
  expect(await waiting).not.toBeNull();
  // The state that `kill -9` leaves.
  const next = await Outbound.open({ store: world.store });
  const recovered = await recoverOutbox(next.domain, next.domain.outbox, (error) =>
    next.failures.push(error),
  );
  expect(recovered).toEqual({ unknown: 1, resent: 0, failed: 0 });
  expect(await statuses()).toEqual(['1: unknown']);
  expect(next.messenger.asked).toEqual([]);
});

test('closing ends the waits, and lets a message that is being written finish', async () => {
  const { world, wait, send, statuses } = await outbound();
  const waiting = wait();
  const settled = send('1');
  const reply = (await waiting) as AwaitedReply;
  const idle = world.domain.answers.wait(
    'telegram',
    { accountId: 'acc_a', from: directAddress(ADA.login, '43') },
    10_000,
    STAYS,
  );
  world.domain.answers.close();
  expect(await idle).toBeNull();
  expect(await wait()).toBeNull();
  reply.settle(SENT);
  await settled;
  expect(await statuses()).toEqual(['1: delivered']);
});

test('waits are limited per account and in total, refusals are counted, and there is room for one more account', async () => {
  const { clock, full, waits, wait } = answers();
  const waitsOf = (account: number, person: number) => {
    const from = directAddress({ kind: 'shared' }, `${account}-${person}`);
    return wait(from, 10_000, STAYS, `acc_${account}`);
  };
  for (let person = 0; person < MAX_WAITS_OF_ACCOUNT; person++) void waitsOf(0, person);
  expect(await waitsOf(0, MAX_WAITS_OF_ACCOUNT)).toBeNull();
  expect([waits.waiting, full.length]).toEqual([MAX_WAITS_OF_ACCOUNT, 1]);
  for (let account = 1; account <= 10; account++)
    for (let person = 0; person < MAX_WAITS_OF_ACCOUNT; person++) void waitsOf(account, person);
  const { waiting } = waits;
  const last = waitsOf(99, 0);
  expect(waits.waiting).toBe(waiting + 1);
  clock.advance(10_000);
  expect(await last).toBeNull();
  await waitFor('the deadline', () => waits.waiting === 0);
  const again = wait();
  void waits.offer('telegram', message(ADA));
  expect(await again).not.toBeNull();
});

test('no wait is longer than two minutes', async () => {
  const { clock, wait } = answers();
  const waiting = wait(ADA, 3_600_000);
  clock.advance(120_000);
  expect(await waiting).toBeNull();
});
