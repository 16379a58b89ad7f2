import type { Space } from '../contract/address.ts';

/** Where a conversation is reached: Teams may move it to another service at any time. */
export interface ConversationReference {
  /** Teams' id of the chat or channel, without a thread. */
  readonly conversationId: string;
  readonly serviceUrl: string;
  readonly tenantId: string;
}

/** A file that a person has been offered and has not accepted yet. */
export interface OfferedFile {
  /** Random; in the card's buttons. */
  readonly offerId: string;
  readonly messageId: string;
  /** Position of the file in its message. */
  readonly fileIndex: number;
  /** Whom the file was offered to, as in addresses. */
  readonly personId: string;
  readonly conversationId: string;
}

/** What is kept between two runs. A change is on disk once its promise settles. */
export interface TeamsRecords {
  reference(space: Space): Promise<ConversationReference | null>;
  putReference(space: Space, reference: ConversationReference): Promise<void>;
  /** Deletes what is kept of people and channels that no account is connected to. */
  prune(): Promise<void>;
  offer(offerId: string): Promise<OfferedFile | null>;
  putOffer(offer: OfferedFile): Promise<void>;
  deleteOffer(offerId: string): Promise<void>;
}
