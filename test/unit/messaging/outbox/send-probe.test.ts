import { expect, test } from 'vitest';
import { readFeed } from '../../../../src/messaging/inbox/feed.ts';
import type { DmRequest } from '../../../../src/messaging/outbox/dm-request.ts';
import { sendDm } from '../../../../src/messaging/outbox/send-dm.ts';
import { sendProbe } from '../../../../src/messaging/outbox/send-probe.ts';
import { insertAgent } from '../../../../src/store/agents/agents.ts';
import { NOW } from '../../store/temporary.ts';
import { Outbound } from '../outbound-harness.ts';

const ANSWER: DmRequest = {
  platform: 'agent',
  text: 'I am here',
  keepTyping: false,
  attachments: [],
  conversationId: null,
  peer: '',
  task: '',
};

/** Two agents of one account, each with the events of its feed, and a way to answer with its key. */
async function agents() {
  const outbound = await Outbound.open();
  const { store, accountId, agentId, domain, clock } = outbound;
  await insertAgent(store.db, { id: 'agt_2', accountId, name: 'Second', isDefault: false, createdAt: NOW });
  const probe = (id: string, agentIds = [agentId, 'agt_2']) => sendProbe(domain, accountId, agentIds, id);
  const scopeOf = (id: string) => ({ accountId, agentIds: [id], platforms: null });
  const reading = { store, clock, attachments: async () => new Map(), files: async () => new Map() };
  const feedOf = async (id: string) =>
    (await readFeed(reading, scopeOf(id), 0, 100)).events.flatMap((event) =>
      event.kind === 'message' ? [event] : [],
    );
  const answer = (id: string, fields: Partial<DmRequest> = {}) =>
    sendDm(
      domain,
      { scope: scopeOf(id), credentialId: `key of ${id}`, request: null },
      { ...ANSWER, ...fields },
    );
  return { outbound, agentId, probe, feedOf, answer };
}

test('each probed agent gets a message of its own, and no others', async () => {
  const { outbound, agentId, probe, feedOf } = await agents();
  await probe('prb_1');
  expect(outbound.woken).toEqual([outbound.accountId]);
  for (const id of [agentId, 'agt_2'])
    expect(await feedOf(id)).toMatchObject([
      {
        type: 'dm_chat',
        conversation: { platform: 'agent', peer: { remoteName: 'Gateway test' } },
        message: { direction: 'inbound', senderAgentId: null, text: expect.stringContaining('test') },
      },
    ]);
  await probe('prb_2', ['agt_2']);
  expect([(await feedOf(agentId)).length, (await feedOf('agt_2')).length]).toEqual([1, 2]);
});

test('an answer counts for its probe however it names the conversation, and is not delivered to anyone', async () => {
  const { outbound, agentId, probe, feedOf, answer } = await agents();
  await probe('prb_1');
  const [event] = await feedOf(agentId);
  await answer(agentId);
  await answer(agentId, { conversationId: event!.conversation.id });
  await answer(agentId, { peer: 'gateway TEST' });
  await answer(agentId, { peer: 'gateway' });
  await answer(agentId, { task: 'prb_1' });
  expect(outbound.answered).toEqual(Array(5).fill([`key of ${agentId}`, 'prb_1']));
  expect([(await feedOf(agentId)).length, (await feedOf('agt_2')).length]).toEqual([1, 1]);
});

test('a message that is not an answer to the probe does not count', async () => {
  const { outbound, agentId, probe, feedOf, answer } = await agents();
  await answer(agentId, { peer: 'Second' });
  await probe('prb_1');
  const [event] = await feedOf(agentId);
  await answer(agentId, { peer: 'Second' });
  await answer('agt_2', { peer: agentId });
  await expect(answer('agt_2', { conversationId: event!.conversation.id })).rejects.toMatchObject({
    code: 'no_conversation',
  });
  expect(outbound.answered).toEqual([]);
  await probe('prb_2', ['agt_2']);
  await expect(answer(agentId, { conversationId: event!.conversation.id })).rejects.toMatchObject({
    code: 'no_conversation',
  });
  await expect(answer(agentId, { peer: 'gateway' })).rejects.toMatchObject({ code: 'agent_not_found' });
  expect(outbound.answered).toEqual([]);
});
