import { type Address, keyOfAddress, type LoginRef } from '../../base/address.ts';
import { TooManyAttempts } from '../../base/errors.ts';
import { FairShare } from '../../base/fair-share.ts';
import { LimitedMap } from '../../base/limited-map.ts';
import { onBehalfOf } from '../../base/on-behalf.ts';
import type { Clock } from '../../base/time.ts';
import { type BucketSize, TokenBucket } from '../../base/token-bucket.ts';

/** What a person, or a channel, may send over a shared login: a hundred messages forwarded at once, and as fast as people write. */
const CHAT: BucketSize = { most: 300, perSecond: 5 };
/** What all people of one account may send over a shared login. */
const ACCOUNT: BucketSize = { most: 600, perSecond: 50 };
/** The 10,000 chats and accounts that were written to last are always remembered. */
const MAX_REMEMBERED = 20_000;
/** Transactions that store what arrives. More would only fill the queue before the database, where everybody waits. */
const TURNS = { total: 4, each: 1, mostWaiting: 2_000 } as const;
const WAIT_MS = 5_000;

/**
 * Shares the storing of what arrives. A platform hands on whatever it is given: without this, one person who floods a bot
 * would keep the messages of everybody waiting. Over a login of its own, an account is answered late, so the platform sends
 * late. Over a shared login, others would wait behind it, so what is too much is not stored. It is measured by the time at
 * which it was sent: what has waited at the platform, as during a restart, comes as fast as it can.
 */
export class Arrivals {
  /** Of transactions, by account. */
  readonly turns: FairShare;
  readonly #buckets = new LimitedMap<TokenBucket>(MAX_REMEMBERED);
  #sentAtMs = 0;
  readonly #sending = { monotonicMs: () => this.#sentAtMs };

  constructor(clock: Clock) {
    this.turns = new FairShare({ clock, ...TURNS });
  }

  /** Whether what comes from a chat may be looked at. Asked before the database is. `sentAt`: an ISO time. */
  admitsChat({ login, space }: Address, sentAt: string): boolean {
    if (login.kind !== 'shared') return true;
    return this.#take(keyOfAddress({ login, space, thread: null, person: null }), CHAT, sentAt);
  }

  /** Whether another message for the account may be stored that came over this login. */
  admitsAccount({ kind }: LoginRef, accountId: string, sentAt: string): boolean {
    return kind !== 'shared' || this.#take(accountId, ACCOUNT, sentAt);
  }

  /** Does what stores something that arrived, when it is the owner's turn. Rejects with TooManyAttempts when it is not. */
  async inTurn<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const refusal = (): Error => new TooManyAttempts(WAIT_MS / 1_000);
    return await this.turns.run(owner, { withinMs: WAIT_MS, refusal }, () => onBehalfOf(owner, work));
  }

  /** Times that are out of order do no harm: a bucket loses what it gets back with the next one. */
  #take(name: string, size: BucketSize, sentAt: string): boolean {
    this.#sentAtMs = Date.parse(sentAt);
    const bucket = this.#buckets.get(name) ?? new TokenBucket(this.#sending, size);
    this.#buckets.set(name, bucket);
    return bucket.take(1);
  }
}
