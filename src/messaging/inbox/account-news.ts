import type { Db } from '../../store/database/tables.ts';
import { agentsOfOtherEvents, newestEventTime } from '../../store/messages/events.ts';
import { agentsOfMessages, type MessagePosition, newestMessage } from '../../store/messages/messages.ts';

const NOBODY: readonly string[] = [];

/** Agent ids. Null: any agent may be affected. */
type Concerned = readonly string[] | null;

/** Finds the agents of an account that a new message or event concerns, so that only their long-polls wake. */
export class AccountNews {
  readonly #db: Db;
  readonly #accountId: string;
  /** Position of the newest message at the last look. Null before the first look. */
  #position: MessagePosition | null = null;
  /** Time of the newest event at the last look. Null before the first look. */
  #eventTime: string | null = null;

  constructor(db: Db, accountId: string) {
    this.#db = db;
    this.#accountId = accountId;
  }

  /** Returns the agents affected by anything stored since the last look. Null: any agent may be affected. */
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
    // Messages were deleted; the newest one may then have a lower `seq` or an earlier time.
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
