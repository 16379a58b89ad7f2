import { unreachable } from '../../base/assert.ts';
import { GatewayError, MAY_HAVE_ARRIVED, sendFailed } from '../../base/errors.ts';
import type { AgentScope } from '../../base/scope.ts';
import type { AttachmentSource, ResolvedFile } from '../../files/resolve-attachments.ts';
import type { Db } from '../../store/database/tables.ts';
import {
  type Conversation,
  findConversation,
  findNewestConversation,
} from '../../store/messages/conversations.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import type { OutboundDomain } from './outbound-domain.ts';
import type { Settled } from './outbox.ts';

/** An agent's request to send a direct message. */
export interface DmRequest {
  readonly platform: MessagePlatform;
  /** May be empty only with attachments. With attachments, it is the caption of the first one. */
  readonly text: string;
  readonly keepTyping: boolean;
  readonly attachments: readonly AttachmentSource[];
  /** Null: the platform's conversation with the newest message. */
  readonly conversationId: string | null;
  /** Between agents: the recipient's name or id. Empty: the other side of the newest conversation. */
  readonly peer: string;
  /** Between agents: the subject. */
  readonly task: string;
}

/** The result of a direct message that was accepted. */
export type SentDm =
  | { readonly kind: 'delivered'; readonly messageId: string }
  /** It is being sent to the platform. */
  | { readonly kind: 'still_sending'; readonly messageId: string }
  /** The other side must write first. */
  | {
      readonly kind: 'queued';
      readonly messageId: string;
      readonly templateSent: boolean;
      readonly position: number;
    };

/** Time limit for the answer, excluding the grace period for a platform that is just answering. */
export const ANSWER_MS = 25_000;

/** Converts a message's result for its sender. Throws `send_failed`. */
export function sentOf(messageId: string, settled: Settled): SentDm {
  switch (settled.kind) {
    case 'delivered':
      return { kind: 'delivered', messageId };
    case 'waits': {
      const { templateSent, position } = settled;
      return { kind: 'queued', messageId, templateSent, position };
    }
    case 'failed':
      throw sendFailed(settled.reason);
    case 'unknown':
      throw sendFailed(`${settled.reason}; ${MAY_HAVE_ARRIVED}`);
    case 'left':
      return stillSending(messageId);
    default:
      return unreachable(settled);
  }
}

/** The message is sent in the background; an event reports the result. */
export function stillSending(messageId: string): SentDm {
  return { kind: 'still_sending', messageId };
}

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
  const late = new AbortController();
  const stop = clock.after(ANSWER_MS, () => late.abort());
  try {
    return await resolveFiles(accountId, attachments, late.signal);
  } finally {
    stop();
  }
}
