import { GatewayError } from '../../base/errors.ts';
import type { AgentScope } from '../../base/scope.ts';
import { TimeLimit } from '../../base/time.ts';
import type { AttachmentSource, ResolvedFile } from '../../files/resolve-attachments.ts';
import type { Db } from '../../store/database/rows.ts';
import {
  type Conversation,
  findConversation,
  findNewestConversation,
} from '../../store/messages/conversations.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import type { OutboundDomain } from './outbound-domain.ts';

/** An agent's request to send a direct message. */
export interface DmRequest {
  readonly platform: MessagePlatform;
  /** May be empty only with attachments. With attachments, it is the caption of the first one. */
  readonly text: string;
  readonly keepTyping: boolean;
  readonly attachments: readonly AttachmentSource[];
  /** Null: the platform's conversation with the newest message. */
  readonly conversationId: string | null;
  /** Id of the message of the conversation that it answers. Null: none. */
  readonly replyTo?: string | null;
  /** What the person may pick; empty: nothing. Not with attachments. */
  readonly choices?: readonly string[];
  /** A text that is too long is sent in parts. */
  readonly split?: boolean;
  /** Between agents: the recipient's name or id. Empty: the other side of the newest conversation. */
  readonly peer: string;
  /** Between agents: the subject. */
  readonly task: string;
}

/** Time limit for the answer, excluding the grace period for a platform that is just answering. */
export const ANSWER_MS = 25_000;

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

/** Resolves a message's attachments. Rejects with the errors of files/resolve-attachments. */
export async function filesToSend(
  { resolveFiles, clock }: OutboundDomain,
  accountId: string,
  attachments: readonly AttachmentSource[],
): Promise<readonly ResolvedFile[]> {
  if (attachments.length === 0) return [];
  const limit = new TimeLimit(clock, ANSWER_MS);
  try {
    return await resolveFiles(accountId, attachments, limit.signal);
  } finally {
    limit.close();
  }
}
