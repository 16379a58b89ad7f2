import { GatewayError } from '../../base/errors.ts';
import type { AgentScope } from '../../base/scope.ts';
import type { Db } from '../../store/database/tables.ts';
import {
  type Conversation,
  findConversation,
  findNewestConversation,
} from '../../store/messages/conversations.ts';
import type { DmRequest } from '../outbox/dm.ts';

/**
 * Returns the conversation with the given id, or the platform's newest one when no id is given. Only conversations
 * visible to the scope count. Throws `no_conversation` when none is found or it is not active.
 */
export async function activeConversation(
  db: Db,
  scope: AgentScope,
  { platform, conversationId }: Pick<DmRequest, 'platform' | 'conversationId'>,
): Promise<Conversation> {
  const conversation =
    conversationId === null
      ? await findNewestConversation(db, scope, { platform, peer: { peer: '', task: '' } })
      : await findConversation(db, scope, conversationId);
  if (conversation?.platform !== platform || conversation.status !== 'active')
    throw new GatewayError('no_conversation');
  return conversation;
}
