import { Deadlines } from '../../base/deadlines.ts';
import { GatewayError } from '../../base/errors.ts';
import { EventLoopLimit } from '../../base/event-loop-limit.ts';
import { Places } from '../../base/places.ts';
import type { Clock } from '../../base/time.ts';
import type { Delta, DeltaQuestion } from './inbox-delta.ts';
import { type AccountNews, LongPollAccount } from './long-poll-account.ts';
import { LongPollGroup, type Waiter } from './long-poll-group.ts';
import type { Wakeups } from './wakeups.ts';

/** Maximum number of pending long-polls. */
const LIMITS = { perKey: 100, perAccount: 1_000, total: 10_000 };
/** Answered in one turn of the event loop: a message, a deadline or a leaving client may end a thousand at one moment. */
const ANSWERS_AT_ONCE = 20;

/** How a request waits, and for how long. */
export interface LongPoll {
  readonly credentialId: string;
  readonly waitMs: number;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** How pending requests read their news. */
export interface WaitersView {
  readonly read: (question: DeltaQuestion) => Promise<Delta>;
  readonly newsOf: (accountId: string) => Pick<AccountNews, 'look'>;
}

/**
 * The inbox's long-polls. Each costs one entry in a group and one in the shared list of deadlines. A group reads the
 * database only when something happens to one of its agents.
 */
export class LongPolls {
  readonly #view: WaitersView;
  readonly #wakeups: Wakeups;
  readonly #deadlines: Deadlines;
  readonly #groups = new Map<string, LongPollGroup>();
  readonly #accounts = new Map<string, LongPollAccount>();
  /** Of all requests that wait. */
  readonly places = new Places({ code: 'too_many_waiters', what: 'pending long-polls', ...LIMITS });
  readonly #answers = new EventLoopLimit(ANSWERS_AT_ONCE);
  #isClosed = false;

  constructor(view: WaitersView, wakeups: Wakeups, clock: Clock) {
    this.#view = view;
    this.#wakeups = wakeups;
    this.#deadlines = new Deadlines(clock);
  }

  /** Number of pending requests. */
  get count(): number {
    return this.places.taken;
  }

  /** Number of requests refused since the start. */
  get refused(): number {
    return this.places.refused;
  }

  /**
   * Resolves as soon as there is news, or with the current state when the time is up or `signal` aborts. Throws
   * `too_many_waiters`, and `not_ready` once closed.
   */
  async wait(question: DeltaQuestion, { credentialId, waitMs, signal }: LongPoll): Promise<Delta> {
    if (this.#isClosed) throw new GatewayError('not_ready');
    const holder = { credentialId, accountId: question.scope.accountId };
    this.places.assertRoom(holder);
    const leavePlace = this.places.take(holder);
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
      const delta = await promise;
      await this.#answers.enter(holder.accountId);
      return delta;
    } finally {
      cancelDeadline();
      signal.removeEventListener('abort', expire);
      leavePlace();
      this.#leave(key, question);
    }
  }

  /** Ends the pending requests of a credential that lost agents. They receive nothing they may not see. */
  dismiss(credentialId: string): void {
    this.#expireWhere((waiter) => waiter.credentialId === credentialId);
  }

  /** Ends all pending requests and refuses new ones. Safe to call twice. */
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

/** Questions with the same key have the same answer. */
function keyOf({ scope, cursor, platform, peer, limit }: DeltaQuestion): string {
  const platforms = scope.platforms && [...scope.platforms];
  return JSON.stringify([scope.accountId, scope.agentIds, platforms, cursor, platform, peer, limit]);
}
