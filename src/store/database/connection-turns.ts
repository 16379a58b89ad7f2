import { servedOwner } from '../../base/on-behalf.ts';
import { type Reader, ReadingTime } from '../../base/reading-time.ts';
import type { Clock } from '../../base/time.ts';

/**
 * How long queries and transactions follow each other before everything else gets its turn. SQLite answers at once, so a
 * hundred that wait would run in one turn of the event loop; calls and requests would have to wait for its end.
 */
const MOST_AT_ONCE_MS = 10;
/** The same for the account that uses the thread most while others use it. */
const GREEDY_AT_ONCE_MS = 1;
const AT_ONCE = Promise.resolve();

/**
 * Whose query or transaction is next. The queries of one account keep their order; of several accounts that wait, the one
 * that has used the thread least lately comes first. The time counts for the account on whose behalf it is used, so that
 * what it asks for is answered later, too. Strangers of one network are like an account.
 */
export class ConnectionTurns {
  readonly #time: ReadingTime;
  /** The gateway's own queries. */
  readonly #nobody: Reader;
  readonly #waiting = new Map<Reader, (() => void)[]>();
  #holder: Reader | null = null;
  #heldSinceMs = 0;
  /** When the connection was first used in this turn of the event loop; null: not yet. */
  #usedSinceMs: number | null = null;
  readonly #nextTurn = (): void => {
    this.#usedSinceMs = null;
    this.#admit();
  };

  constructor(clock: Clock, time: ReadingTime) {
    this.#time = time;
    this.#nobody = new ReadingTime(clock).of('');
  }

  /** Resolves when the caller has the connection, which it gives back by `leave`. */
  enter(): Promise<void> {
    const owner = servedOwner();
    const reader = owner === undefined ? this.#nobody : this.#time.of(owner);
    if (this.#holder === null && this.#waiting.size === 0 && this.#begins(reader)) return AT_ONCE;
    const { promise, resolve } = Promise.withResolvers<void>();
    const others = this.#waiting.get(reader);
    if (others === undefined) this.#waiting.set(reader, [resolve]);
    else others.push(resolve);
    this.#admit();
    return promise;
  }

  leave(): void {
    const holder = this.#holder!;
    this.#holder = null;
    // The gateway's own time matters only to those who wait.
    if (holder !== this.#nobody || this.#waiting.size > 0) this.#count(holder);
    this.#admit();
  }

  /** The process may have waited for its own turn meanwhile. */
  #count(holder: Reader): void {
    holder.note(Math.min(this.#time.nowMs() - this.#heldSinceMs, MOST_AT_ONCE_MS));
  }

  #admit(): void {
    if (this.#holder !== null || this.#waiting.size === 0) return;
    const reader = this.#next();
    if (!this.#begins(reader)) return;
    const waiting = this.#waiting.get(reader)!;
    const resolve = waiting.shift()!;
    if (waiting.length === 0) this.#waiting.delete(reader);
    resolve();
  }

  #next(): Reader {
    const [first] = this.#waiting.keys();
    if (this.#waiting.size === 1) return first!;
    const all = [...this.#waiting.keys()];
    return all.reduce((least, each) => (each.recentMs < least.recentMs ? each : least));
  }

  /** Gives the connection, unless it has to wait for the next turn of the event loop. */
  #begins(reader: Reader): boolean {
    const nowMs = this.#time.nowMs();
    if (this.#usedSinceMs === null) {
      this.#usedSinceMs = nowMs;
      setImmediate(this.#nextTurn);
    } else {
      const usedMs = nowMs - this.#usedSinceMs;
      if (usedMs > MOST_AT_ONCE_MS || (usedMs > GREEDY_AT_ONCE_MS && reader.holdsUpOthers)) return false;
    }
    this.#holder = reader;
    this.#heldSinceMs = nowMs;
    return true;
  }
}
