import type { AttachmentSource } from '../../files/resolve-attachments.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';

/** A direct message as an agent asks for it. */
export interface DmRequest {
  readonly platform: MessagePlatform;
  /** Empty only with attachments; else the caption of the first. */
  readonly text: string;
  readonly keepTyping: boolean;
  readonly attachments: readonly AttachmentSource[];
  /** Null: the platform's conversation with the newest message. */
  readonly conversationId: string | null;
  /** Between agents: to whom, by name or id; empty: whoever wrote last or was written to. */
  readonly peer: string;
  /** Between agents: what it is about. */
  readonly task: string;
}

/** What became of a direct message that was accepted. */
export type SentDm =
  | { readonly kind: 'delivered'; readonly messageId: string }
  /** It is on its way to the platform. */
  | { readonly kind: 'still_sending'; readonly messageId: string }
  /** The other side must write first. */
  | {
      readonly kind: 'queued';
      readonly messageId: string;
      readonly templateSent: boolean;
      readonly position: number;
    };

/** Longest time until an answer, but for what is added to be fair to a platform that is just answering. */
export const ANSWER_MS = 25_000;
