import type { Clock } from '../../base/time.ts';
import type { Db } from '../../store/database/rows.ts';
import type { GoneLogins } from '../../store/people/account-access.ts';
import type { AgentRoster } from '../account/agent-roster.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { AttemptLimits } from '../passwords/attempt-limits.ts';
import type { FailedAttempts } from '../passwords/failed-attempts.ts';
import type { GuessLimits } from '../passwords/guess-limits.ts';
import type { PasswordHasher } from '../passwords/passwords.ts';
import type { SessionCache } from '../sessions/session-cache.ts';

/** Who may sign up: anyone, anyone with the code, or no one. */
export interface SignupPolicy {
  readonly mode: 'open' | 'invite' | 'closed';
  /** Null: there is no code, so no one may sign up in mode `invite`. */
  readonly code: string | null;
}

/** Dependencies of the operations on people and their sessions. */
export interface People {
  readonly db: Db;
  readonly clock: Clock;
  readonly sessions: SessionCache;
  readonly roster: AgentRoster;
  readonly hasher: PasswordHasher;
  readonly mailer: Mailer;
  readonly limits: AttemptLimits;
  readonly guesses: GuessLimits;
  readonly failedPasswords: FailedAttempts;
  readonly signup: SignupPolicy;
  /** Base URL of links in mails, without a trailing slash. */
  readonly publicUrl: () => string;
  /**
   * Updates keys and MCP clients from the database, and ends the account's deleted platform logins; null: there are
   * none.
   */
  readonly followAccess: (accountId: string, gone: GoneLogins | null) => Promise<void>;
}

/** The origin of a request. */
export interface Client {
  /** IPv4, or IPv6 written with all eight groups. */
  readonly address: string;
  readonly userAgent: string;
  /** The token that the browser got when a password was right in it; null without one. */
  readonly browserToken: string | null;
}
