import { type CancelTimer, type Clock, pause } from '../../base/time.ts';
import type { LivePace } from '../../connectors/contract/live-message.ts';

const SECOND_MS = 1_000;
/** A whole message that has waited so long is sent in any case. */
const LONGEST_MS = 10_000;
/** By then a whole message that may be sent has been. */
const SENT_MS = 200;

/** A message as its line sees it. */
export interface Waiting {
  readonly accountId: string;
  /** Whether people see its beginning already. */
  readonly isUpdate: boolean;
  /** When its conversation takes the next request, on the monotonic clock. */
  readonly readyMs: number;
  /** Makes the request. Returns for how long the login takes no further one, in milliseconds. Never rejects. */
  ask(): Promise<number>;
}

/**
 * Shares what a login may ask its platform between the messages that are being written. First texts and whole messages come
 * before updates, which leave room for them; then the account that was served longest ago, and of its messages the one that
 * waits longest.
 *
 * A request counts until a second after its answer. The platform gets it between the two, so whenever its seconds begin, and
 * however long requests are on their way, there are no more in any of them.
 */
export class LiveLine {
  readonly #clock: Clock;
  readonly #pace: LivePace;
  readonly #waiting = new Set<Waiting>();
  /** Of accounts that wait or have waited, when they were served. Forgotten when nobody waits. */
  readonly #servedMs = new Map<string, number>();
  readonly #closing = new AbortController();
  /** Requests that count, and how many of them are updates. */
  #asked = 0;
  #updates = 0;
  #pausedUntilMs = 0;
  #cancel: CancelTimer | null = null;

  constructor(clock: Clock, pace: LivePace) {
    this.#clock = clock;
    this.#pace = pace;
  }

  /** Aborts when the gateway closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** A message has something to show. Each waits once. */
  add(message: Waiting): void {
    if (this.#waiting.has(message)) return;
    this.#waiting.add(message);
    this.#arm();
  }

  remove(message: Waiting): void {
    this.#waiting.delete(message);
    if (this.#waiting.size === 0) this.#servedMs.clear();
  }

  /** Resolves when the login may send a whole message of an account, or after `LONGEST_MS`. */
  async whole(accountId: string): Promise<void> {
    const mayBeSent = new AbortController();
    const message = {
      accountId,
      isUpdate: false,
      readyMs: this.#clock.monotonicMs(),
      ask: async () => {
        mayBeSent.abort();
        await pause(this.#clock, SENT_MS, this.closing);
        return 0;
      },
    };
    this.add(message);
    this.#run();
    await pause(this.#clock, LONGEST_MS, AbortSignal.any([mayBeSent.signal, this.closing]));
    this.remove(message);
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
      this.#servedMs.set(next.accountId, this.#clock.monotonicMs());
      void this.#ask(next);
    }
    this.#arm();
  }

  async #ask(message: Waiting): Promise<void> {
    const updates = message.isUpdate ? 1 : 0;
    this.#asked += 1;
    this.#updates += updates;
    const pauseMs = await message.ask();
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#clock.monotonicMs() + pauseMs);
    await pause(this.#clock, SECOND_MS, this.closing);
    this.#asked -= 1;
    this.#updates -= updates;
    this.#arm();
  }

  /** Waits until somebody may ask. A request that no longer counts calls again. */
  #arm(): void {
    this.#cancel?.();
    this.#cancel = null;
    const readyMs = Math.min(...[...this.#waiting].filter((each) => this.#hasRoom(each)).map(readyMsOf));
    if (readyMs === Number.POSITIVE_INFINITY) return;
    const atMs = Math.max(readyMs, this.#pausedUntilMs);
    this.#cancel = this.#clock.after(Math.max(0, Math.ceil(atMs - this.#clock.monotonicMs())), () => {
      this.#cancel = null;
      this.#run();
    });
  }

  #hasRoom({ isUpdate }: Waiting): boolean {
    const { perSecond, updates } = this.#pace;
    return this.#asked < perSecond && (!isUpdate || this.#updates < updates);
  }

  #next(): Waiting | null {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#pausedUntilMs) return null;
    let best: Waiting | null = null;
    for (const each of this.#waiting)
      if (each.readyMs <= nowMs && this.#hasRoom(each) && (best === null || this.#isBefore(each, best)))
        best = each;
    return best;
  }

  #isBefore(one: Waiting, other: Waiting): boolean {
    if (one.isUpdate !== other.isUpdate) return other.isUpdate;
    const [oneMs, otherMs] = [one, other].map(({ accountId }) => this.#servedMs.get(accountId) ?? -1) as [
      number,
      number,
    ];
    return oneMs === otherMs ? one.readyMs < other.readyMs : oneMs < otherMs;
  }
}

function readyMsOf({ readyMs }: Waiting): number {
  return readyMs;
}
