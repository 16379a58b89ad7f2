import { Deadlines } from '../../base/deadlines.ts';
import { GatewayError } from '../../base/errors.ts';
import { Places } from '../../base/places.ts';
import type { Clock } from '../../base/time.ts';
import type { AccountNews } from './account-news.ts';
import type { Delta, DeltaQuestion } from './inbox-delta.ts';
import { LongPollAccount } from './long-poll-account.ts';
import { LongPollGroup, type Waiter } from './long-poll-group.ts';
import type { Wakeups } from './wakeups.ts';

/** Requests that may wait at the same time. */
const LIMITS = { perKey: 100, perAccount: 1_000, total: 10_000 };

/** Who waits, and how long at most. */
export interface Waiting {
  readonly credentialId: string;
  readonly waitMs: number;
  /** Aborts when nobody listens any more. */
  readonly signal: AbortSignal;
}

/** What those who wait look with. */
export interface WaitersView {
  readonly read: (question: DeltaQuestion) => Promise<Delta>;
  readonly newsOf: (accountId: string) => Pick<AccountNews, 'look'>;
}

/**
 * The long-polling requests of the inbox. Each costs an entry in a group and a place in one list of deadlines; a group
 * looks in the database when one of its agents has got something, not before.
 */
export class LongPolls {
  readonly #view: WaitersView;
  readonly #wakeups: Wakeups;
  readonly #deadlines: Deadlines;
  readonly #groups = new Map<string, LongPollGroup>();
  readonly #accounts = new Map<string, LongPollAccount>();
  readonly #places = new Places({ code: 'too_many_waiters', what: 'requests may wait', ...LIMITS });
  #isClosed = false;

  constructor(view: WaitersView, wakeups: Wakeups, clock: Clock) {
    this.#view = view;
    this.#wakeups = wakeups;
    this.#deadlines = new Deadlines(clock);
  }

  /** Requests that wait now. */
  get count(): number {
    return this.#places.taken;
  }

  /** Requests that were not let wait, ever. */
  get refused(): number {
    return this.#places.refused;
  }

  /**
   * Resolves with news as soon as there are any, else with what there is when the time is over or `signal` aborts.
   * Throws `too_many_waiters`, or `not_ready` once it is closed.
   */
  async wait(question: DeltaQuestion, { credentialId, waitMs, signal }: Waiting): Promise<Delta> {
    if (this.#isClosed) throw new GatewayError('not_ready');
    const holder = { credentialId, accountId: question.scope.accountId };
    this.#places.assertRoom(holder);
    const leavePlace = this.#places.take(holder);
    const key = keyOf(question);
    const group = this.#groupOf(key, question);
    const { promise, resolve, reject } = Promise.withResolvers<Delta>();
    const waiter: Waiter = { credentialId, resolve, reject };
    const expire = (): void => group.expire(waiter);
    const cancelDeadline = this.#deadlines.after(waitMs, expire);
    signal.addEventListener('abort', expire, { once: true });
    group.add(waiter);
    if (signal.aborted) expire();
    try {
      return await promise;
    } finally {
      cancelDeadline();
      signal.removeEventListener('abort', expire);
      leavePlace();
      this.#leave(key, question);
    }
  }

  /** Ends at once what waits with a credential that lost agents; it hears nothing that it may not. */
  dismiss(credentialId: string): void {
    this.#expireWhere((waiter) => waiter.credentialId === credentialId);
  }

  /** Ends all waiting and lets nobody wait any more; safe to call twice. */
  close(): void {
    this.#isClosed = true;
    this.#expireWhere(() => true);
  }

  #expireWhere(test: (waiter: Waiter) => boolean): void {
    for (const group of [...this.#groups.values()]) group.expireWhere(test);
  }

  #leave(key: string, { scope }: DeltaQuestion): void {
    const group = this.#groups.get(key);
    if (!group || group.size > 0) return;
    this.#groups.delete(key);
    if (this.#accounts.get(scope.accountId)?.remove(group)) this.#accounts.delete(scope.accountId);
  }

  #groupOf(key: string, question: DeltaQuestion): LongPollGroup {
    const known = this.#groups.get(key);
    if (known) return known;
    const { accountId, agentIds } = question.scope;
    const group = new LongPollGroup(agentIds, () => this.#view.read(question));
    this.#groups.set(key, group);
    this.#accountOf(accountId).add(group);
    return group;
  }

  #accountOf(accountId: string): LongPollAccount {
    const known = this.#accounts.get(accountId);
    if (known) return known;
    const account = new LongPollAccount(this.#view.newsOf(accountId), this.#wakeups, accountId);
    this.#accounts.set(accountId, account);
    return account;
  }
}

/** Two questions with the same key have the same answer. */
function keyOf({ scope, cursor, platform, peer, limit }: DeltaQuestion): string {
  const { accountId, agentIds } = scope;
  const platforms = scope.platforms && [...scope.platforms];
  const { iso, messageId } = cursor;
  return JSON.stringify([
    accountId,
    agentIds,
    platforms,
    iso,
    messageId,
    platform,
    peer.peer,
    peer.task,
    limit,
  ]);
}
