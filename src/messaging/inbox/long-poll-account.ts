import type { AccountNews } from './account-news.ts';
import type { LongPollGroup } from './long-poll-group.ts';
import type { Wakeups } from './wakeups.ts';

/**
 * All long-poll groups of one account. When something happens in the account, the affected groups read the database.
 */
export class LongPollAccount {
  readonly #news: Pick<AccountNews, 'look'>;
  readonly #groups = new Set<LongPollGroup>();
  readonly #unwatch: () => void;
  #isLooking = false;
  #mustLook = false;

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

  #look(): void {
    this.#mustLook = true;
    if (!this.#isLooking) void this.#lookOn();
  }

  async #lookOn(): Promise<void> {
    this.#isLooking = true;
    while (this.#mustLook) {
      this.#mustLook = false;
      // If this look fails, every group looks by itself and reports its own error.
      this.#tell(await this.#news.look().catch(() => null));
    }
    this.#isLooking = false;
  }

  #tell(agentIds: ReadonlySet<string> | null): void {
    for (const group of [...this.#groups]) {
      if (agentIds === null || group.agentIds.some((id) => agentIds.has(id))) group.look();
      else group.forget();
    }
  }
}
