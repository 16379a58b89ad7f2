import type { Generated, GeneratedAlways } from 'kysely';
import type { Platform } from '../../base/platform.ts';

/** The tables of this folder by name. */
export interface PeopleTables {
  accountBytes: AccountBytesTable;
  accounts: AccountsTable;
  auditLog: AuditLogTable;
  budgetUses: BudgetUsesTable;
  feedback: FeedbackTable;
  identities: IdentitiesTable;
  knownBrowsers: KnownBrowsersTable;
  inviteLinks: InviteLinksTable;
  mailTokens: MailTokensTable;
  sessions: SessionsTable;
  signIns: SignInsTable;
  usageDays: UsageDaysTable;
}

/** An account. Without an email address, such as the operator's at first, it is only accessible with keys. */
export interface AccountsTable {
  id: string;
  name: string;
  createdAt: string;
  /** In lower case. */
  email: string | null;
  emailVerifiedAt: string | null;
  /** Argon2id in PHC string format. Null: no sign-in with a password. */
  passwordHash: string | null;
  /** Since when everyone who can sign in has proven ownership of the address. Null: someone may not have. */
  ownerProvenAt: string | null;
  /** Since when the account is being deleted, and takes nothing more. Null: it is not. */
  leavingAt: Generated<string | null>;
}

/** A browser in which the account's password was correct. `tokenHash` is the SHA-256 of its cookie. */
export interface KnownBrowsersTable {
  tokenHash: string;
  accountId: string;
  createdAt: string;
  lastUsedAt: string;
}

/** A signed-in browser. The cookie's value is never stored: `tokenHash` is its SHA-256 in hex. */
export interface SessionsTable {
  id: string;
  accountId: string;
  tokenHash: string;
  userAgent: string;
  address: string;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
}

export type MailPurpose = 'verify' | 'reset' | 'change_email';

/** A link sent by email. `tokenHash` is the SHA-256 of its token, `email` the recipient. Deleted after use. */
export interface MailTokensTable {
  tokenHash: string;
  accountId: string;
  purpose: MailPurpose;
  email: string;
  createdAt: string;
  expiresAt: string;
}

/** An account's identity at an OpenID Connect provider. */
export interface IdentitiesTable {
  id: string;
  accountId: string;
  provider: string;
  subject: string;
  email: string | null;
  createdAt: string;
  lastUsedAt: string;
}

/** A sign-in in progress at a provider. `accountId`: the account to link the identity to; null: a normal sign-in. */
export interface SignInsTable {
  stateHash: string;
  accountId: string | null;
  provider: string;
  /** Nonce and PKCE verifier. */
  sealedSecrets: string;
  createdAt: string;
  expiresAt: string;
}

/** What an account stores. Triggers create the row with the account, and count. */
export interface AccountBytesTable {
  accountId: string;
  bytes: Generated<number>;
  /** When the owner was told that the account is full. Null: it is not. */
  toldAt: string | null;
}

/** Messages and file bytes per day (YYYY-MM-DD, UTC). Calls and minutes are computed from the calls. */
interface UsageDaysTable {
  accountId: string;
  platform: Platform;
  day: string;
  messages: Generated<number>;
  bytes: Generated<number>;
  spokenCharacters: Generated<number>;
  spokenMs: Generated<number>;
  heardMs: Generated<number>;
  /** Ended calls that began on this day, and how long they were answered. */
  calls: Generated<number>;
  callMs: Generated<number>;
}

/** What an agent has used in an hour (YYYY-MM-DDTHH, UTC) or on a day (YYYY-MM-DD). An `agentId` of '': the whole account. */
interface BudgetUsesTable {
  accountId: string;
  agentId: string;
  period: string;
  /** Calls of a model. */
  turns: number;
  tokens: number;
  /** Time that calls were active. */
  callMs: number;
}

/** An account's invite link; at most one is valid. */
export interface InviteLinksTable {
  accountId: string;
  tokenHash: string;
  createdAt: string;
  expiresAt: string;
}

export interface FeedbackTable {
  id: string;
  accountId: string;
  message: string;
  surface: string | null;
  provider: string | null;
  errorDetail: string | null;
  suggestionShown: string | null;
  createdAt: string;
}

/** Who changed what, with which credential. `detail` has no secrets. */
export interface AuditLogTable {
  id: GeneratedAlways<number>;
  /** Null: belongs to no account, or to a deleted one. */
  accountId: string | null;
  credentialKind: 'session' | 'agent' | 'settings' | 'oauth' | 'model' | 'none';
  credentialId: string;
  action: string;
  subject: string | null;
  detail: Readonly<Record<string, unknown>>;
  createdAt: string;
}
