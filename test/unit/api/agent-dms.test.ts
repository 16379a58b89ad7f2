import { expect, it } from 'vitest';
import { startDms } from './dm-setup.ts';

it('agents of one account can write to each other', async () => {
  const { outbound, chat, messenger } = await startDms();
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

it('chooses the sender for a key with both agents, and returns 404 for unknown agents', async () => {
  const { outbound, chat } = await startDms();
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
  const { outbound, chat } = await startDms();
  const fields = { platform: 'agent', peer: 'Second', text: '1' };
  const first = await chat(fields, { key: 'k' });
  await outbound.store.db
    .updateTable('idempotentRequests')
    .set({ status: null, sealedAnswer: null })
    .execute();
  expect((await chat(fields, { key: 'k' })).body).toEqual(first.body);
  expect(await outbound.messages()).toHaveLength(1);
});
