import { activeConversation } from '../inbox/active-conversation.ts';
import type { DmRequest } from '../outbox/dm.ts';
import type { OutboundDomain, Writer } from '../outbox/outbound-domain.ts';

/**
 * Shows a platform's other side that somebody types, for 65 s or until a message is sent; whoever waits for an answer
 * waits 60 s from now. Where the platform has no such sign, nothing is shown. Throws `no_conversation`.
 */
export async function showDmTyping(
  { store, typing, replies }: OutboundDomain,
  { scope }: Pick<Writer, 'scope'>,
  wanted: Pick<DmRequest, 'platform' | 'conversationId'>,
): Promise<void> {
  const conversation = await activeConversation(store.db, scope, wanted);
  replies.extend(conversation.id);
  typing.start(conversation);
}
