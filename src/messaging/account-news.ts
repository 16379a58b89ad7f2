import { agentsOfMessages, type MessagePosition, newestMessage } from '../store/messages.ts';
import type { Db } from '../store/tables.ts';

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Tells which agents of an account have got something, so that a message wakes those who wait for it and not all who wait
 * in the account.
 */
export class AccountNews {
  readonly #db: Db;
  readonly #accountId: string;
  /** How far the last look went; null: there was none. */
  #position: MessagePosition | null = null;

  constructor(db: Db, accountId: string) {
    this.#db = db;
    this.#accountId = accountId;
  }

  /** The agents that messages since the last look concern; null: any may be. */
  async look(): Promise<ReadonlySet<string> | null> {
    const newest = await newestMessage(this.#db, this.#accountId);
    const former = this.#position;
    this.#position = newest ?? null;
    if (!newest || !former) return null;
    if (newest.seq === former.seq) return NOBODY;
    // Messages were deleted, and time began anew.
    if (newest.seq < former.seq || newest.createdAt < former.createdAt) return null;
    return new Set(await agentsOfMessages(this.#db, this.#accountId, former));
  }
}
