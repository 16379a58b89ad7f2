import { sendChat } from '../../calls/chat.ts';
import type { AttachmentSource } from '../../files/resolve-attachments.ts';
import { sendDm } from '../../messaging/outbox/send-dm.ts';
import type { ActionContext } from './carry-out.ts';
import { Refused } from './refused.ts';

/** Writes to the conversation or the chat of the call that the turn is about. */
export async function write(
  { domain, scope, place }: ActionContext,
  text: string,
  attachments: readonly AttachmentSource[] = [],
): Promise<void> {
  if (place.kind === 'test') throw new Refused('There is no conversation');
  if (place.kind === 'call')
    return await sendChat(domain.calls, scope, place.callId, { text, senderName: '', files: null });
  const { platform, conversationId } = place;
  await sendDm(
    domain.outbound,
    { scope, credentialId: scope.agentIds[0]!, request: null },
    { platform, text, keepTyping: false, attachments, conversationId, peer: '', task: '' },
  );
}
