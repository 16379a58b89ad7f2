import type { Clock } from '../../base/time.ts';
import { changeRows, type Db } from '../../store/database/rows.ts';
import { type AuditAction, insertAuditLine } from '../../store/people/audit-log.ts';

const WINDOW_MS = 3_600_000;
/** Limit of IP addresses with their own line, per account and hour. All others share one line. */
const MAX_ADDRESSES = 20;
/** Limit of lines per hour for all accounts. Beyond it, failures are reported to the observer and not written. */
const MAX_LINES = 10_000;

interface FailedAttemptsDeps {
  readonly action: AuditAction;
  readonly db: Db;
  readonly clock: Clock;
  /** The log could not be written. */
  failed(error: unknown): void;
  /** An attempt was not written, because the limit of lines is reached. */
  dropped(): void;
}

interface Line {
  readonly accountId: string | null;
  /** Null: all addresses without their own line. */
  readonly address: string | null;
  count: number;
  id: number | null;
  isWriting: boolean;
}

/**
 * Records wrong passwords, or keys, in the audit log: one line with a count per account, IP address and hour, so that a
 * flood of guesses does not grow the database. Guesses for addresses without an account are recorded the same way and
 * take the same time.
 */
export class FailedAttempts {
  readonly #deps: FailedAttemptsDeps;
  readonly #lines = new Map<string, Line>();
  readonly #addresses = new Map<string | null, number>();
  #endMs = 0;

  constructor(deps: FailedAttemptsDeps) {
    this.#deps = deps;
  }

  /** Records an attempt in the background. Never throws. `accountId` null: it concerns no account. */
  note(accountId: string | null, address: string): void {
    this.#beginAnew();
    const line = this.#lineOf(accountId, address);
    if (line === null) return this.#deps.dropped();
    line.count++;
    if (!line.isWriting) void this.#write(line).catch((error: unknown) => this.#deps.failed(error));
  }

  #beginAnew(): void {
    const nowMs = this.#deps.clock.monotonicMs();
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

  /** Writes a line, repeatedly if it is counted up meanwhile. */
  async #write(line: Line): Promise<void> {
    const { action, db, clock } = this.#deps;
    line.isWriting = true;
    try {
      for (let written = 0; written < line.count; ) {
        const { accountId, address, count } = line;
        const lastAt = clock.nowIso();
        const detail = { address, count, lastAt };
        if (line.id === null)
          line.id = await insertAuditLine(db, accountId, { action, detail, createdAt: lastAt });
        else await changeRows(db, 'auditLog', { id: line.id }, { detail });
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
