import { EventLoopLimit } from '../../base/event-loop-limit.ts';
import { onBehalfOf } from '../../base/on-behalf.ts';
import { KeyedRuns } from '../../messaging/inbox/keyed-runs.ts';
import { listInlineAccounts, listInlineAgents } from '../../store/inline/inline-agents.ts';
import type { InlineDomain } from '../inline-domain.ts';
import { type ClaimedLane, claimEvents } from './claim-events.ts';

/** Follows the feeds of all agents with a model, one reader per account. */
export class FeedReaders {
  readonly #domain: InlineDomain;
  readonly #onClaimed: (lane: ClaimedLane) => void;
  readonly #runs: KeyedRuns;
  /** Of transactions in one iteration of the event loop. */
  readonly #limit = new EventLoopLimit(1);
  /** How each account's reader stops. */
  readonly #watched = new Map<string, () => void>();
  #isClosed = false;

  constructor(domain: InlineDomain, onClaimed: (lane: ClaimedLane) => void) {
    this.#domain = domain;
    this.#onClaimed = onClaimed;
    this.#runs = new KeyedRuns((error) => domain.observer.workFailed('events for models', error));
  }

  /** Starts reading where the last process stopped. */
  async start(): Promise<void> {
    for (const accountId of await listInlineAccounts(this.#domain.store.db)) this.#watch(accountId);
  }

  /** Starts or stops reading after an account's agents or their providers changed. */
  async follow(accountId: string): Promise<void> {
    const agents = await listInlineAgents(this.#domain.store.db, accountId);
    if (agents.length > 0) this.#watch(accountId);
    else this.leave(accountId);
  }

  /** Stops reading an account's feeds. */
  leave(accountId: string): void {
    this.#watched.get(accountId)?.();
    this.#watched.delete(accountId);
  }

  /** Resolves when nothing is being read. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#watched.values()) stop();
    this.#watched.clear();
    await this.#runs.settled();
  }

  #watch(accountId: string): void {
    if (this.#isClosed || this.#watched.has(accountId)) return;
    const read = (): void => void this.#runs.run(accountId, () => this.#read(accountId));
    const { wakeups, voices } = this.#domain;
    const unwatch = wakeups.watch(accountId, read);
    const unfollow = voices.follow(accountId);
    this.#watched.set(accountId, () => {
      unwatch();
      unfollow();
    });
    read();
  }

  /** Whoever wrote there may be a machine, or has been told before. */
  #hush(conversationId: string): void {
    const { replies, typing } = this.#domain.outbound;
    replies.answered(conversationId);
    typing.stop(conversationId);
  }

  async #read(accountId: string): Promise<void> {
    for (let isFull = true; isFull; ) {
      await this.#limit.enter();
      const claimed = await onBehalfOf(accountId, () => claimEvents(this.#domain, accountId));
      for (const lane of claimed.lanes) this.#onClaimed(lane);
      for (const conversationId of claimed.silent) this.#hush(conversationId);
      if (claimed.hasNews) this.#domain.wakeups.wake(accountId);
      isFull = claimed.isFull;
    }
  }
}
