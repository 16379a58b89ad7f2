import { agentsOfCallEvents, lastCallEvent } from '../store/events.ts';
import { agentsOfMessages, type MessagePosition, newestMessage } from '../store/messages.ts';
import type { Db } from '../store/tables.ts';

const NOBODY: readonly string[] = [];

/** Null: any agent may be among them. */
type Concerned = readonly string[] | null;

/**
 * Tells which agents of an account have got something, so that a message or a call wakes those who wait for it and not
 * all who wait in the account.
 */
export class AccountNews {
  readonly #db: Db;
  readonly #accountId: string;
  /** How far the last look at messages went; null: there was none. */
  #position: MessagePosition | null = null;
  /** The last event of a call that a look found; null: there was no look. */
  #callEvent: number | null = null;

  constructor(db: Db, accountId: string) {
    this.#db = db;
    this.#accountId = accountId;
  }

  /** The agents that what came since the last look concerns; null: any may be. */
  async look(): Promise<ReadonlySet<string> | null> {
    const ofMessages = await this.#lookAtMessages();
    const ofCalls = await this.#lookAtCalls();
    return ofMessages && ofCalls && new Set([...ofMessages, ...ofCalls]);
  }

  async #lookAtMessages(): Promise<Concerned> {
    const newest = await newestMessage(this.#db, this.#accountId);
    const former = this.#position;
    this.#position = newest ?? null;
    if (!newest || !former) return null;
    if (newest.seq === former.seq) return NOBODY;
    // Messages were deleted, and time began anew.
    if (newest.seq < former.seq || newest.createdAt < former.createdAt) return null;
    return await agentsOfMessages(this.#db, this.#accountId, former);
  }

  async #lookAtCalls(): Promise<Concerned> {
    const newest = await lastCallEvent(this.#db, this.#accountId);
    const former = this.#callEvent;
    this.#callEvent = newest;
    if (former === null) return null;
    if (newest === former) return NOBODY;
    const agentIds = await agentsOfCallEvents(this.#db, this.#accountId, former);
    return agentIds.every((id) => id !== null) ? agentIds : null;
  }
}
