import { GatewayError } from '../../base/errors.ts';
import type { PlaceHolder, Places } from '../../base/places.ts';
import { type Clock, TimeLimit } from '../../base/time.ts';
import { Wakeups } from '../../messaging/inbox/wakeups.ts';

/** How a request waits, and for how long. */
export interface DeliveryWait {
  readonly waitMs: number;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** Requests that wait until a delivery has ended. */
export class DeliveryWaits {
  readonly #places: Places;
  readonly #clock: Clock;
  /** Turns of models that have ended. */
  readonly #ends = new Wakeups();
  readonly #closing = new AbortController();

  /** `places`: those of all requests that wait, long-polls among them. */
  constructor(places: Places, clock: Clock) {
    this.#places = places;
    this.#clock = clock;
  }

  /** A turn of one of the account's agents has ended. */
  turnEnded(accountId: string): void {
    this.#ends.wake(accountId);
  }

  /** Takes a place. Returns what gives it back. Throws `too_many_waiters`, and `not_ready` once closed. */
  enter(holder: PlaceHolder): () => void {
    if (this.#closing.signal.aborted) throw new GatewayError('not_ready');
    this.#places.assertRoom(holder);
    return this.#places.take(holder);
  }

  /**
   * Reads again whenever a turn of the account has ended. Resolves with the first value that `isOver` accepts, or with the
   * last one when the time is up, the client has disconnected, or the gateway closes.
   */
  async until<Value>(
    accountId: string,
    read: () => Promise<Value>,
    isOver: (value: Value) => boolean,
    { waitMs, signal }: DeliveryWait,
  ): Promise<Value> {
    let changed = Promise.withResolvers<void>();
    const wake = (): void => changed.resolve();
    const outer = AbortSignal.any([signal, this.#closing.signal]);
    const limit = new TimeLimit(this.#clock, waitMs, { outer });
    limit.signal.addEventListener('abort', wake, { once: true });
    const unwatch = this.#ends.watch(accountId, wake);
    try {
      for (;;) {
        const value = await read();
        if (limit.signal.aborted || isOver(value)) return value;
        await changed.promise;
        changed = Promise.withResolvers<void>();
      }
    } finally {
      unwatch();
      limit.close();
    }
  }

  /** Ends all waits and refuses new ones. */
  close(): void {
    this.#closing.abort();
  }
}
