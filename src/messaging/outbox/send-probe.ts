import { newId } from '../../base/ids.ts';
import type { Db } from '../../store/database/rows.ts';
import { closeProbeConversations, openAgentConversation } from '../../store/messages/agent-conversations.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { insertMessage } from '../../store/messages/messages.ts';
import { announceMessage } from '../inbox/announce.ts';
import type { OutboundDomain } from './outbound-domain.ts';

const TEXT = 'This is a test by the gateway. Reply to this message to show that you receive direct messages.';

/**
 * Sends each agent a message from the gateway, in a conversation of the agent with itself whose task is the probe's id.
 * The message arrives like any direct message. Conversations of earlier probes are closed.
 */
export async function sendProbe(
  { store, clock, wakeups }: Pick<OutboundDomain, 'store' | 'clock' | 'wakeups'>,
  accountId: string,
  agentIds: readonly string[],
  probeId: string,
): Promise<void> {
  const nowIso = clock.nowIso();
  await store.db.transaction().execute(async (trx) => {
    await closeProbeConversations(trx, accountId);
    for (const agentId of agentIds) {
      const wanted = { accountId, agentId, peerAgentId: agentId, task: probeId };
      await writeTo(trx, await openAgentConversation(trx, wanted, nowIso), agentId, nowIso);
    }
  });
  wakeups.wake(accountId);
}

async function writeTo(db: Db, conversation: Conversation, agentId: string, nowIso: string): Promise<void> {
  const message = {
    id: newId('msg'),
    accountId: conversation.accountId,
    conversationId: conversation.id,
    direction: 'inbound',
    senderAgentId: null,
    text: TEXT,
    status: 'received',
    expiresAt: null,
    platformMessageIds: [],
    fileIds: [],
  } as const;
  await announceMessage(db, conversation, await insertMessage(db, message, nowIso), [agentId]);
}
