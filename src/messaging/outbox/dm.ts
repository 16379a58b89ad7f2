import type { AttachmentSource } from '../../files/resolve-attachments.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';

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
