import type { AccountNews } from './account-news.ts';
import type { LongPollGroup } from './long-poll-group.ts';
import type { Wakeups } from './wakeups.ts';

/** All that wait in one account: when something happens there, those look whom it concerns. */
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

  /** Returns whether it was the last one; then nothing is watched any more. */
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
      // Who cannot be told by a look of ours finds out by their own, and hears why that fails.
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
