import { hashToken } from '../../base/ids.ts';
import { LastUses } from '../../base/last-uses.ts';
import { type Clock, isoAfter } from '../../base/time.ts';
import { changeRows, type Db, deleteExpired } from '../../store/database/rows.ts';
import { listSessions, type StoredSession } from '../../store/people/sessions.ts';
import type { AgentRoster } from '../account/agent-roster.ts';

/** A session expires when it is not used for this long. */
export const SESSION_MS = 30 * 86_400_000;
const NOBODY: readonly string[] = [];

/**
 * Called when a session acts for other agents than before. The list is empty when the session was closed before it
 * expired.
 */
export type OnSessionChanged = (sessionId: string, agentIds: readonly string[]) => void;

/** A valid session. It acts for all agents of its account. */
export interface ValidSession {
  readonly id: string;
  readonly accountId: string;
  readonly agentIds: readonly string[];
}

/** All valid sessions, in memory, like the keys in KeyCache. Sessions are looked up by the hash of their token. */
export class SessionCache {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #roster: AgentRoster;
  readonly #lastUses: LastUses;
  #byHash = new Map<string, StoredSession>();
  #onChanged: OnSessionChanged = () => {};

  private constructor(db: Db, clock: Clock, roster: AgentRoster, onTouchFailed: (error: unknown) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#roster = roster;
    this.#lastUses = new LastUses(clock, onTouchFailed);
    roster.watch((accountId, agentIds) => {
      for (const { id } of this.of(accountId)) this.#onChanged(id, agentIds);
    });
  }

  /** Deletes expired sessions and loads the rest. */
  static async load(
    db: Db,
    clock: Clock,
    roster: AgentRoster,
    onTouchFailed: (error: unknown) => void,
  ): Promise<SessionCache> {
    const cache = new SessionCache(db, clock, roster, onTouchFailed);
    await deleteExpired(db, 'sessions', clock.nowIso());
    await cache.reload();
    return cache;
  }

  /**
   * Sets the listener for changed sessions, so that their open connections follow at once, and those of a closed
   * session are closed.
   */
  watch(onChanged: OnSessionChanged): void {
    this.#onChanged = onChanged;
  }

  /** Reloads all sessions from the database, after accounts were deleted. */
  async reload(): Promise<void> {
    const sessions = await listSessions(this.#db, this.#clock.nowIso());
    const former = this.#byHash;
    this.#byHash = new Map(sessions.map((session) => [session.tokenHash, session]));
    for (const [tokenHash, { id }] of former) if (!this.#byHash.has(tokenHash)) this.#onChanged(id, NOBODY);
  }

  /** Reloads one account's sessions, once its deletion has ended or failed. */
  async refresh(accountId: string): Promise<void> {
    const stored = await listSessions(this.#db, this.#clock.nowIso(), accountId);
    const kept = new Set(stored.map(({ id }) => id));
    this.#removeWhere((session) => session.accountId === accountId && !kept.has(session.id));
    for (const session of stored) this.add(session);
  }

  /**
   * Returns the session of a token, records its use and extends it to 30 days from now; null when the token is invalid.
   */
  use(token: string): ValidSession | null {
    const tokenHash = hashToken(token);
    const session = this.#byHash.get(tokenHash);
    if (!session) return null;
    const nowIso = this.#clock.nowIso();
    if (session.expiresAt <= nowIso) {
      this.#byHash.delete(tokenHash);
      return null;
    }
    this.#lastUses.note(session.id, () => this.#extend(session, nowIso));
    const { id, accountId } = session;
    return { id, accountId, agentIds: this.#roster.idsOf(accountId) };
  }

  /** Adds a session that is already stored. */
  add(session: StoredSession): void {
    this.#byHash.set(session.tokenHash, session);
  }

  /** Invalidates a session. */
  remove(sessionId: string): void {
    this.#removeWhere(({ id }) => id === sessionId);
  }

  /** Invalidates all sessions of an account, except one. */
  removeAllOf(accountId: string, exceptId: string | null = null): void {
    this.#removeWhere((session) => session.accountId === accountId && session.id !== exceptId);
  }

  /** Returns the account's sessions, last used first. */
  of(accountId: string): StoredSession[] {
    return [...this.#byHash.values()]
      .filter((session) => session.accountId === accountId)
      .sort((a, b) => (a.lastUsedAt < b.lastUsedAt ? 1 : -1));
  }

  #removeWhere(isMeant: (session: StoredSession) => boolean): void {
    for (const [tokenHash, session] of this.#byHash) {
      if (!isMeant(session)) continue;
      this.#byHash.delete(tokenHash);
      this.#onChanged(session.id, NOBODY);
    }
  }

  async #extend(session: StoredSession, nowIso: string): Promise<void> {
    const used = { lastUsedAt: nowIso, expiresAt: expiryFrom(nowIso) };
    this.#byHash.set(session.tokenHash, { ...session, ...used });
    await changeRows(this.#db, 'sessions', { id: session.id }, used);
  }
}

/** Returns when a session that was used at `nowIso` expires. */
export function expiryFrom(nowIso: string): string {
  return isoAfter(nowIso, SESSION_MS);
}
