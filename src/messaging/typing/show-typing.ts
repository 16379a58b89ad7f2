import { activeConversation } from '../inbox/active-conversation.ts';
import type { DmRequest } from '../outbox/dm.ts';
import type { OutboundDomain, Writer } from '../outbox/outbound-domain.ts';

/**
 * Shows a typing indicator for 65 s or until a message is sent. Also restarts the 60-second reply window, if one is
 * running. Shows nothing on platforms without typing indicators. Throws `no_conversation`.
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
