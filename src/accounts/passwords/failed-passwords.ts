import type { Clock } from '../../base/time.ts';
import type { Db } from '../../store/database/tables.ts';
import { insertAuditLine, updateAuditDetail } from '../../store/people/audit-log.ts';

const WINDOW_MS = 3_600_000;
/** Addresses with a line of their own, of one account in an hour; all others share one. */
const MAX_ADDRESSES = 20;
/** Lines in an hour, of all accounts together; what comes after them is counted and not written. */
const MAX_LINES = 10_000;

export interface FailedPasswordsObserver {
  /** The log could not be written. */
  failed(error: unknown): void;
  /** There are so many lines that a wrong password has none. */
  dropped(): void;
}

interface Line {
  readonly accountId: string | null;
  /** Null: of all that have no line of their own. */
  readonly address: string | null;
  count: number;
  id: number | null;
  isWriting: boolean;
}

/**
 * Writes wrong passwords into the audit log: one line for each account, address and hour, with a count, so that a flood
 * of guesses does not grow the database. Guesses at addresses without an account are written like the others, and take
 * as long.
 */
export class FailedPasswords {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #observer: FailedPasswordsObserver;
  readonly #lines = new Map<string, Line>();
  readonly #addresses = new Map<string | null, number>();
  #endMs = 0;

  constructor(db: Db, clock: Clock, observer: FailedPasswordsObserver) {
    this.#db = db;
    this.#clock = clock;
    this.#observer = observer;
  }

  /** Never throws and is not waited for. `accountId` null: nobody has the mail address. */
  note(accountId: string | null, address: string): void {
    this.#beginAnew();
    const line = this.#lineOf(accountId, address);
    if (line === null) {
      this.#observer.dropped();
      return;
    }
    line.count++;
    if (!line.isWriting) void this.#write(line).catch((error: unknown) => this.#observer.failed(error));
  }

  #beginAnew(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#endMs) return;
    this.#lines.clear();
    this.#addresses.clear();
    this.#endMs = nowMs + WINDOW_MS;
  }

  #lineOf(accountId: string | null, address: string): Line | null {
    const own = this.#lines.get(keyOf(accountId, address));
    if (own) return own;
    const addresses = this.#addresses.get(accountId) ?? 0;
    const shown = addresses < MAX_ADDRESSES ? address : null;
    const key = keyOf(accountId, shown);
    const known = this.#lines.get(key);
    if (known) return known;
    if (this.#lines.size >= MAX_LINES) return null;
    const line = { accountId, address: shown, count: 0, id: null, isWriting: false };
    this.#addresses.set(accountId, addresses + 1);
    this.#lines.set(key, line);
    return line;
  }

  /** What is counted while a line is being written goes into it with the next writing. */
  async #write(line: Line): Promise<void> {
    line.isWriting = true;
    try {
      for (let written = 0; written < line.count; ) {
        const { accountId, address, count } = line;
        const lastAt = this.#clock.nowIso();
        const detail = { address, count, lastAt };
        if (line.id === null)
          line.id = await insertAuditLine(this.#db, accountId, {
            action: 'password.fail',
            detail,
            createdAt: lastAt,
          });
        else await updateAuditDetail(this.#db, line.id, detail);
        written = count;
      }
    } finally {
      line.isWriting = false;
    }
  }
}

function keyOf(accountId: string | null, address: string | null): string {
  return JSON.stringify([accountId, address]);
}
