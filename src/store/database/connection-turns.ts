import { servedAccount } from '../../base/on-behalf.ts';
import { type Reader, ReadingTime } from '../../base/reading-time.ts';
import type { Clock } from '../../base/time.ts';

/**
 * How long queries and transactions follow each other before everything else gets its turn. SQLite answers at once, so a
 * hundred that wait would run in one turn of the event loop; calls and requests would have to wait for its end.
 */
const MOST_AT_ONCE_MS = 10;
/** The same for the account that uses the thread most while others use it. */
const GREEDY_AT_ONCE_MS = 1;

/**
 * Whose query or transaction is next. The queries of one account keep their order; of several accounts that wait, the one
 * that has used the thread least lately comes first. The time counts for the account on whose behalf it is used, so that
 * what it asks for is answered later, too.
 */
export class ConnectionTurns {
  readonly #time: ReadingTime;
  /** The gateway's own queries, and those of strangers. */
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
  async enter(): Promise<void> {
    const accountId = servedAccount();
    const reader = accountId === undefined ? this.#nobody : this.#time.of(accountId);
    if (this.#holder === null && this.#waiting.size === 0 && this.#mayBegin(reader)) {
      this.#hold(reader);
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const others = this.#waiting.get(reader);
    if (others === undefined) this.#waiting.set(reader, [resolve]);
    else others.push(resolve);
    this.#admit();
    await promise;
  }

  leave(): void {
    this.#holder?.count(this.#heldSinceMs);
    this.#holder = null;
    this.#admit();
  }

  #admit(): void {
    if (this.#holder !== null || this.#waiting.size === 0) return;
    const reader = this.#next();
    if (!this.#mayBegin(reader)) return;
    const waiting = this.#waiting.get(reader)!;
    const resolve = waiting.shift()!;
    if (waiting.length === 0) this.#waiting.delete(reader);
    this.#hold(reader);
    resolve();
  }

  #hold(reader: Reader): void {
    this.#holder = reader;
    this.#heldSinceMs = this.#time.nowMs();
  }

  #next(): Reader {
    const [first, ...others] = this.#waiting.keys();
    return others.reduce((least, each) => (each.recentMs < least.recentMs ? each : least), first!);
  }

  /** Otherwise the next turn of the event loop lets it begin. */
  #mayBegin(reader: Reader): boolean {
    const nowMs = this.#time.nowMs();
    if (this.#usedSinceMs === null) {
      this.#usedSinceMs = nowMs;
      setImmediate(this.#nextTurn);
      return true;
    }
    return nowMs - this.#usedSinceMs <= (reader.holdsUpOthers ? GREEDY_AT_ONCE_MS : MOST_AT_ONCE_MS);
  }
}
