import { SHARED_LOGIN, type Space } from '../../base/address.ts';
import type { PlatformRecords } from '../contract/records.ts';

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
export class TeamsRecords {
  readonly #records: PlatformRecords;

  constructor(records: PlatformRecords) {
    this.#records = records;
  }

  async reference({ kind, id }: Space): Promise<ConversationReference | null> {
    return (await this.#records.find(SHARED_LOGIN, 'space', `${kind} ${id}`)) as ConversationReference | null;
  }

  /** Returns false, and stores nothing, for people and channels that no account is connected to. */
  async putReference(space: Space, value: ConversationReference): Promise<boolean> {
    return await this.#records.put({ loginKey: SHARED_LOGIN, kind: 'space', space, value });
  }

  async offer(offerId: string): Promise<OfferedFile | null> {
    return (await this.#records.find(SHARED_LOGIN, 'offer', offerId)) as OfferedFile | null;
  }

  /** Does nothing if the message is gone. */
  async putOffer(value: OfferedFile): Promise<void> {
    const { offerId: key, messageId } = value;
    await this.#records.put({ loginKey: SHARED_LOGIN, kind: 'offer', key, messageId, value });
  }

  async deleteOffer(offerId: string): Promise<void> {
    await this.#records.delete(SHARED_LOGIN, 'offer', offerId);
  }
}
