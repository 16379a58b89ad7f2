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
 * The conversation that a platform means, or the one that is named, of those that a scope may see. Throws
 * `no_conversation` when there is none, or none that is active.
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
