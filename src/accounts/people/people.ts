import type { Clock } from '../../base/time.ts';
import type { Db } from '../../store/database/tables.ts';
import type { GoneLogins } from '../../store/people/account-access.ts';
import type { AgentRoster } from '../account/agent-roster.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { AttemptLimits } from '../passwords/attempt-limits.ts';
import type { FailedPasswords } from '../passwords/failed-passwords.ts';
import type { GuessLimits } from '../passwords/guess-limits.ts';
import type { SessionCache } from '../sessions/session-cache.ts';

/** Who may sign up: anybody, whoever knows the code, or nobody. */
export interface SignupPolicy {
  readonly mode: 'open' | 'invite' | 'closed';
  /** Null: nobody knows it. */
  readonly code: string | null;
}

/** What the verbs about people and their sessions work with. */
export interface People {
  readonly db: Db;
  readonly clock: Clock;
  readonly sessions: SessionCache;
  readonly roster: AgentRoster;
  readonly mailer: Mailer;
  readonly limits: AttemptLimits;
  readonly guesses: GuessLimits;
  readonly failedPasswords: FailedPasswords;
  readonly signup: SignupPolicy;
  /** Where links in mails lead, without a slash at the end. */
  readonly publicUrl: () => string;
  /** Lets keys and MCP clients follow the database, and ends an account's logins at platforms; null: they stay. */
  readonly followAccess: (accountId: string, gone: GoneLogins | null) => Promise<void>;
}

/** Where a request comes from. */
export interface Client {
  /** IPv4, or IPv6 in its eight groups. */
  readonly address: string;
  readonly userAgent: string;
  /** What a browser was given when a password was right in it; null without one. */
  readonly browserToken: string | null;
}
