import { type CancelTimer, type Clock, pause } from '../../base/time.ts';
import { TokenBucket } from '../../base/token-bucket.ts';
import type { LivePace } from '../../connectors/contract/live-message.ts';

/** A whole message that has waited so long is sent in any case. */
const LONGEST_MS = 10_000;
/** Requests that are left to whole messages. */
const FOR_WHOLES = 2;

/** A message as its line sees it. */
export interface Waiting {
  readonly accountId: string;
  /** Whether its first request is still to come. */
  readonly isNew: boolean;
  /** When its conversation takes the next request, on the monotonic clock. */
  readonly readyMs: number;
  /** Makes the request. Returns for how long the login takes no further one, in milliseconds. Never rejects. */
  ask(): Promise<number>;
}

/**
 * Shares what a login may ask its platform between the messages that are being written. Whoever waits for a first text
 * comes first; then the account that was served longest ago, and of its messages the one that waits longest.
 */
export class LiveLine {
  readonly #clock: Clock;
  readonly #begins: TokenBucket;
  readonly #all: TokenBucket;
  readonly #waiting = new Set<Waiting>();
  /** Of accounts that wait or have waited, when they were served. Forgotten when nobody waits. */
  readonly #servedMs = new Map<string, number>();
  readonly #closing = new AbortController();
  #pausedUntilMs = 0;
  #cancel: CancelTimer | null = null;

  constructor(clock: Clock, { begins, all }: LivePace) {
    this.#clock = clock;
    this.#begins = new TokenBucket(clock, begins);
    this.#all = new TokenBucket(clock, all);
  }

  /** Aborts when the gateway closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** A message has something to show. Each waits once. */
  add(message: Waiting): void {
    this.#waiting.add(message);
    this.#arm();
  }

  remove(message: Waiting): void {
    this.#waiting.delete(message);
    if (this.#waiting.size === 0) this.#servedMs.clear();
  }

  /** Resolves when the login may send a whole message, or after `LONGEST_MS`. */
  async whole(): Promise<void> {
    const endMs = this.#clock.monotonicMs() + LONGEST_MS;
    for (;;) {
      const nowMs = this.#clock.monotonicMs();
      if (nowMs >= this.#pausedUntilMs && this.#all.take(1)) return;
      if (nowMs >= endMs || this.#closing.signal.aborted) return;
      const waitMs = Math.max(this.#all.waitMs(1), this.#pausedUntilMs - nowMs, 1);
      await pause(this.#clock, Math.min(waitMs, endMs - nowMs), this.#closing.signal);
    }
  }

  close(): void {
    this.#closing.abort();
    this.#cancel?.();
    this.#cancel = null;
    this.#waiting.clear();
  }

  /** Makes all requests that may be made now, and waits for the next one. */
  #run(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      this.#waiting.delete(next);
      this.#all.take(1);
      if (next.isNew) this.#begins.take(1);
      this.#servedMs.set(next.accountId, this.#clock.monotonicMs());
      void next.ask().then((pauseMs) => {
        this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#clock.monotonicMs() + pauseMs);
      });
    }
    this.#arm();
  }

  #arm(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (this.#waiting.size === 0) return;
    const waitMs = Math.max(0, Math.ceil(this.#waitMs()));
    this.#cancel = this.#clock.after(waitMs, () => {
      this.#cancel = null;
      this.#run();
    });
  }

  /** Until somebody may ask. */
  #waitMs(): number {
    const nowMs = this.#clock.monotonicMs();
    const login = Math.max(this.#all.waitMs(1 + FOR_WHOLES), this.#pausedUntilMs - nowMs);
    const begin = this.#begins.waitMs(1);
    const each = [...this.#waiting].map(({ isNew, readyMs }) => Math.max(isNew ? begin : 0, readyMs - nowMs));
    return Math.max(login, Math.min(...each));
  }

  #next(): Waiting | null {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#pausedUntilMs || this.#all.waitMs(1 + FOR_WHOLES) > 0) return null;
    const mayBegin = this.#begins.waitMs(1) === 0;
    let best: Waiting | null = null;
    for (const each of this.#waiting)
      if (each.readyMs <= nowMs && (mayBegin || !each.isNew) && (best === null || this.#isBefore(each, best)))
        best = each;
    return best;
  }

  #isBefore(one: Waiting, other: Waiting): boolean {
    if (one.isNew !== other.isNew) return one.isNew;
    const [oneMs, otherMs] = [one, other].map(({ accountId }) => this.#servedMs.get(accountId) ?? -1) as [
      number,
      number,
    ];
    return oneMs === otherMs ? one.readyMs < other.readyMs : oneMs < otherMs;
  }
}
