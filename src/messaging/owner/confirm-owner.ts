import { ANSWER_MS } from '../outbox/dm.ts';
import type { OutboundDomain } from '../outbox/outbound-domain.ts';
import { writeMessage } from '../outbox/write-message.ts';

const TEXT = 'You are now the owner of this bot: test messages are sent to you here.';

/** Tells somebody who sent a bot its one-time code what came of it. Resolves when the platform has taken it or not. */
export async function confirmOwner(domain: OutboundDomain, conversationId: string): Promise<void> {
  const draft = { senderAgentId: null, text: TEXT, files: [], request: null };
  const { settled } = await writeMessage(domain, conversationId, draft, ANSWER_MS);
  await settled;
}
