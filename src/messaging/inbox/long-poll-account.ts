import type { Db } from '../../store/database/rows.ts';
import { agentsOfOtherEvents, newestEventTime } from '../../store/messages/events.ts';
import { agentsOfMessages, type MessagePosition, newestMessage } from '../../store/messages/messages.ts';
import { KeyedRuns } from './keyed-runs.ts';
import type { LongPollGroup } from './long-poll-group.ts';
import type { Wakeups } from './wakeups.ts';

/**
 * All long-poll groups of one account. When something happens in the account, the affected groups read the database.
 */
export class LongPollAccount {
  readonly #news: Pick<AccountNews, 'look'>;
  readonly #groups = new Set<LongPollGroup>();
  readonly #unwatch: () => void;
  readonly #looks = new KeyedRuns(() => {});

  constructor(news: Pick<AccountNews, 'look'>, wakeups: Wakeups, accountId: string) {
    this.#news = news;
    this.#unwatch = wakeups.watch(accountId, () => this.#look());
  }

  add(group: LongPollGroup): void {
    this.#groups.add(group);
  }

  /** Removes a group. Returns whether it was the last one; the account is then no longer watched. */
  remove(group: LongPollGroup): boolean {
    this.#groups.delete(group);
    if (this.#groups.size > 0) return false;
    this.#unwatch();
    return true;
  }

  /** If this look fails, every group looks by itself and reports its own error. */
  #look(): void {
    void this.#looks.run('', async () => this.#tell(await this.#news.look().catch(() => null)));
  }

  #tell(agentIds: ReadonlySet<string> | null): void {
    for (const group of [...this.#groups]) {
      if (agentIds === null || group.agentIds.some((id) => agentIds.has(id))) group.look();
      else group.forget();
    }
  }
}

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
    if (newest.seq === former.seq) return [];
    // Messages were deleted; the newest one may then have a lower `seq` or an earlier time.
    if (newest.seq < former.seq || newest.createdAt < former.createdAt) return null;
    return await agentsOfMessages(this.#db, this.#accountId, former);
  }

  async #lookAtEvents(): Promise<Concerned> {
    const newest = (await newestEventTime(this.#db, this.#accountId)) ?? '';
    const former = this.#eventTime;
    this.#eventTime = newest;
    if (former === null) return null;
    if (newest === former) return [];
    const agentIds = await agentsOfOtherEvents(this.#db, this.#accountId, former);
    return agentIds.every((id) => id !== null) ? agentIds : null;
  }
}
