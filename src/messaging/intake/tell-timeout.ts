import { type Conversation, findAnyConversation } from '../../store/messages/conversations.ts';
import { timeoutTextsOf } from '../../store/messages/outbound-messages.ts';
import { ANSWER_MS } from '../outbox/dm.ts';
import type { OutboundDomain } from '../outbox/outbound-domain.ts';
import { writeMessage } from '../outbox/write-message.ts';

/**
 * Tells a person that no answer has come yet, in their agent's words or else the gateway's. Sends nothing if the text
 * is empty. Resolves when the platform has accepted or refused the message.
 */
export async function tellTimeout(domain: OutboundDomain, conversationId: string): Promise<void> {
  const conversation = await findAnyConversation(domain.store.db, conversationId);
  if (conversation?.status !== 'active' || domain.outbox.isBusy(conversationId)) return;
  const text = await textFor(domain, conversation);
  if (text === '') return;
  domain.typing.stop(conversationId);
  const draft = { senderAgentId: null, text, files: [], request: null };
  const { settled } = await writeMessage(domain, conversationId, draft, ANSWER_MS);
  await settled;
}

/** With several agents, the default agent's text is used, else the oldest agent's. */
async function textFor(
  { store, timeoutText }: OutboundDomain,
  { memberType, memberId }: Conversation,
): Promise<string> {
  if (memberType === null || memberId === null) return '';
  const [own = null] = await timeoutTextsOf(store.db, { type: memberType, id: memberId });
  return own ?? timeoutText;
}
