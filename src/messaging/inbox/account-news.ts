import type { Db } from '../../store/database/tables.ts';
import { agentsOfOtherEvents, newestEventTime } from '../../store/messages/events.ts';
import { agentsOfMessages, type MessagePosition, newestMessage } from '../../store/messages/messages.ts';

const NOBODY: readonly string[] = [];

/** Null: any agent may be among them. */
type Concerned = readonly string[] | null;

/**
 * Tells which agents of an account a new message or event concerns, so that it wakes only the requests that wait for it.
 */
export class AccountNews {
  readonly #db: Db;
  readonly #accountId: string;
  /** How far the last look at messages went; null: there was none. */
  #position: MessagePosition | null = null;
  /** The time of the newest event that a look found; null: there was no look. */
  #eventTime: string | null = null;

  constructor(db: Db, accountId: string) {
    this.#db = db;
    this.#accountId = accountId;
  }

  /** The agents that what came since the last look concerns; null: any may be. */
  async look(): Promise<ReadonlySet<string> | null> {
    const ofMessages = await this.#lookAtMessages();
    const ofEvents = await this.#lookAtEvents();
    return ofMessages && ofEvents && new Set([...ofMessages, ...ofEvents]);
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

  async #lookAtEvents(): Promise<Concerned> {
    const newest = (await newestEventTime(this.#db, this.#accountId)) ?? '';
    const former = this.#eventTime;
    this.#eventTime = newest;
    if (former === null) return null;
    if (newest === former) return NOBODY;
    const agentIds = await agentsOfOtherEvents(this.#db, this.#accountId, former);
    return agentIds.every((id) => id !== null) ? agentIds : null;
  }
}
