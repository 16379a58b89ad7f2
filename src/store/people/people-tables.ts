import type { GeneratedAlways } from 'kysely';
import type { Platform } from '../../base/platform.ts';

/** An account without an address, such as the operator's at first, is entered by keys alone. */
export interface AccountsTable {
  id: string;
  name: string;
  createdAt: string;
  /** In lower case. */
  email: string | null;
  emailVerifiedAt: string | null;
  /** Argon2id in PHC form; null: nobody signs in by password. */
  passwordHash: string | null;
  /** Since when everybody who can sign in has shown that the address is theirs; null: somebody may not have. */
  ownerProvenAt: string | null;
}

/** A browser in which the account's password was right. `tokenHash` is the SHA-256 of its cookie. */
export interface KnownBrowsersTable {
  tokenHash: string;
  accountId: string;
  createdAt: string;
  lastUsedAt: string;
}

/** A browser that is signed in. The cookie's value is never stored: `tokenHash` is its SHA-256 in hex. */
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

/** A link that was sent by mail, by the SHA-256 of its token; gone once it was used. `email` is where it went. */
export interface MailTokensTable {
  tokenHash: string;
  accountId: string;
  purpose: MailPurpose;
  email: string;
  createdAt: string;
  expiresAt: string;
}

/** Who an account is at an OpenID Connect provider. */
export interface IdentitiesTable {
  id: string;
  accountId: string;
  provider: string;
  subject: string;
  email: string | null;
  createdAt: string;
  lastUsedAt: string;
}

/** A sign-in that is under way at a provider; `accountId` is who links an identity, null: somebody signs in. */
export interface SignInsTable {
  stateHash: string;
  accountId: string | null;
  provider: string;
  /** Nonce and PKCE verifier. */
  sealedSecrets: string;
  createdAt: string;
  expiresAt: string;
}

/** Messages and bytes of files by day (YYYY-MM-DD, UTC); calls and minutes are told by the calls themselves. */
export interface UsageDaysTable {
  accountId: string;
  platform: Platform;
  day: string;
  messages: number;
  bytes: number;
}

/** The one invite link of an account that is valid. */
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

/** Who changed what, with which credential. `detail` is JSON without secrets. */
export interface AuditLogTable {
  id: GeneratedAlways<number>;
  /** Null: of no account, or of one that is gone. */
  accountId: string | null;
  credentialKind: 'session' | 'agent' | 'settings' | 'oauth' | 'none';
  credentialId: string;
  action: string;
  subject: string | null;
  detail: string;
  createdAt: string;
}
