import { expect, it } from 'vitest';
import { awaitReplies, awaitReply } from '../../../../src/messaging/intake/await-reply.ts';
import { REPLY_MS, ReplyWatch } from '../../../../src/messaging/intake/reply-watch.ts';
import type { DmRequest } from '../../../../src/messaging/outbox/dm-request.ts';
import { sendDm, showDmTyping } from '../../../../src/messaging/outbox/send-dm.ts';
import { insertAgent } from '../../../../src/store/agents/agents.ts';
import { changeRows } from '../../../../src/store/database/rows.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { NOW } from '../../store/temporary.ts';
import { Outbound } from '../outbound-harness.ts';

const USUAL = 'No answer yet';
const ANSWER: DmRequest = {
  platform: 'telegram',
  text: 'An answer',
  keepTyping: false,
  attachments: [],
  conversationId: null,
  peer: '',
  task: '',
};

async function waiting() {
  const outbound = await Outbound.open();
  await outbound.bot();
  const conversation = await outbound.conversation();
  const writer = {
    scope: { accountId: outbound.accountId, agentIds: [outbound.agentId], platforms: null },
    credentialId: 'key_1',
    request: null,
  };
  const hear = async () => {
    await outbound.heard(conversation);
    await awaitReply(outbound.domain, { conversationId: conversation.id, spaceKind: 'direct' });
  };
  const answer = (fields: Partial<DmRequest> = {}) =>
    sendDm(outbound.domain, writer, { ...ANSWER, ...fields });
  /** Lets time pass, including what that triggers. */
  const pass = async (ms: number) => {
    outbound.clock.advance(ms);
    for (let i = 0; i < 20; i++) await outbound.store.db.selectFrom('facts').select('name').execute();
  };
  return { outbound, conversation, writer, hear, answer, pass, texts: () => outbound.messenger.texts };
}

it('shows typing, and sends the timeout text after 60 s without an answer', async () => {
  const { outbound, hear, pass, texts } = await waiting();
  await hear();
  expect([outbound.domain.typing.shown, outbound.domain.replies.watched]).toEqual([1, 1]);
  await pass(REPLY_MS - 1);
  expect(texts()).toEqual([]);
  await pass(1);
  await waitFor('the text', () => texts().length === 1);
  expect(texts()).toEqual([USUAL]);
  await waitFor(
    'it to be written down',
    async () => (await outbound.messages()).at(-1)!.status === 'delivered',
  );
  expect((await outbound.messages()).at(-1)).toMatchObject({
    direction: 'outbound',
    text: USUAL,
    senderAgentId: null,
  });
  expect(outbound.domain.typing.shown).toBe(0);
  await pass(10 * REPLY_MS);
  expect([texts(), outbound.failures]).toEqual([[USUAL], []]);
});

it('sends no timeout text after an answer', async () => {
  const { outbound, hear, answer, pass, texts } = await waiting();
  await hear();
  await pass(30_000);
  await answer();
  expect(outbound.domain.typing.shown).toBe(0);
  await pass(10 * REPLY_MS);
  expect(texts()).toEqual(['An answer']);
});

it('counts from the first unanswered message, and again from the next one', async () => {
  const { hear, answer, pass, texts } = await waiting();
  await hear();
  await pass(50_000);
  await hear();
  await pass(10_000);
  await waitFor('the first text', () => texts().length === 1);
  await hear();
  await pass(REPLY_MS - 1);
  expect(texts()).toHaveLength(1);
  await pass(1);
  await waitFor('the second text', () => texts().length === 2);
  await hear();
  await answer();
  await hear();
  await pass(REPLY_MS);
  await waitFor('the third text', () => texts().length === 4);
  expect(texts()).toEqual([USUAL, USUAL, 'An answer', USUAL]);
});

it('waits 60 s more when the agent shows typing', async () => {
  const { outbound, writer, hear, pass, texts } = await waiting();
  await hear();
  for (let i = 0; i < 5; i++) {
    await pass(55_000);
    await showDmTyping(outbound.domain, writer, ANSWER);
  }
  expect(texts()).toEqual([]);
  await pass(REPLY_MS);
  await waitFor('the text', () => texts().length === 1);
});

it('keeps waiting when the answer could not be sent', async () => {
  const { outbound, hear, answer, pass, texts } = await waiting();
  await hear();
  await pass(30_000);
  outbound.messenger.will({ kind: 'refused', reason: 'no', isAddressGone: false });
  await expect(answer()).rejects.toThrow('Failed to send message: no');
  expect(outbound.domain.replies.watched).toBe(1);
  await pass(REPLY_MS);
  await waitFor('the text', () => texts().length === 1);
  // No one is waiting any more: a message that fails now starts nothing.
  outbound.messenger.will({ kind: 'refused', reason: 'no', isAddressGone: false });
  await expect(answer()).rejects.toThrow();
  expect(outbound.domain.replies.watched).toBe(0);
});

it('uses the text of the default agent, or else of the oldest one, and sends no empty text', async () => {
  const { outbound, hear, pass, texts } = await waiting();
  const { db } = outbound.store;
  const second = {
    id: 'agt_2',
    accountId: outbound.accountId,
    name: 'Second',
    isDefault: false,
    createdAt: NOW,
  };
  await insertAgent(db, second);
  await db
    .insertInto('agentAccounts')
    .values({ agentId: 'agt_2', memberType: 'bot_token', memberId: 'bot_1' })
    .execute();
  await changeRows(db, 'agents', { id: 'agt_2' }, { timeoutText: 'The second says' });
  const late = async (count: number) => {
    await hear();
    await pass(REPLY_MS);
    await waitFor('the text', () => texts().length === count);
  };
  await late(1);
  await changeRows(db, 'agents', { id: outbound.agentId }, { timeoutText: 'One moment' });
  await late(2);
  await changeRows(db, 'agents', { id: outbound.agentId }, { timeoutText: '' });
  await hear();
  await pass(REPLY_MS);
  await db.deleteFrom('agentAccounts').where('agentId', '=', outbound.agentId).execute();
  await late(3);
  expect(texts()).toEqual([USUAL, 'One moment', 'The second says']);
});

it('sends nothing in a closed or unknown conversation', async () => {
  const { outbound, conversation, hear, pass, texts } = await waiting();
  await hear();
  await changeRows(outbound.store.db, 'conversations', { id: conversation.id }, { status: 'closed' });
  await pass(REPLY_MS);
  await awaitReply(outbound.domain, { conversationId: 'cnv_none', spaceKind: 'direct' });
  await pass(REPLY_MS);
  expect([texts(), outbound.failures]).toEqual([[], []]);
});

it('resumes after a restart for those who have not waited too long', async () => {
  const { outbound, conversation, answer, texts } = await waiting();
  const { clock } = outbound;
  const old = await outbound.conversation('old');
  await outbound.heard(old);
  clock.advance(REPLY_MS);
  const answered = await outbound.conversation('answered');
  await outbound.heard(answered);
  await answer({ conversationId: answered.id });
  await outbound.heard(conversation);
  const next = await Outbound.open({ store: outbound.store });
  next.clock.advance(clock.monotonicMs() + 30_000);
  await awaitReplies(next.domain);
  expect([old, answered, conversation].map(({ id }) => next.domain.replies.isWatched(id))).toEqual([
    false,
    false,
    true,
  ]);
  expect(next.domain.typing.shown).toBe(1);
  expect(texts()).toEqual(['An answer']);
});

it('watches a limited number of conversations', () => {
  const full: unknown[] = [];
  const clock = new ManualClock();
  const watch = new ReplyWatch(
    clock,
    () => {},
    () => full.push(1),
  );
  for (let i = 0; i < 50_010; i++) watch.begin(`cnv_${i}`);
  expect([watch.watched, full.length]).toEqual([50_000, 10]);
  watch.close();
});
