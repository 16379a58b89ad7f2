import { ANSWER_MS } from '../outbox/dm.ts';
import type { OutboundDomain } from '../outbox/outbound-domain.ts';
import { writeMessage } from '../outbox/write-message.ts';

const TEXT = 'You are now the owner of this bot. Test messages will arrive here.';

/**
 * Confirms to a person that their one-time code made them the bot's owner. Resolves when the platform has accepted or
 * refused the message.
 */
export async function confirmOwner(domain: OutboundDomain, conversationId: string): Promise<void> {
  const draft = { senderAgentId: null, text: TEXT, files: [], request: null };
  const { settled } = await writeMessage(domain, conversationId, draft, ANSWER_MS);
  await settled;
}
