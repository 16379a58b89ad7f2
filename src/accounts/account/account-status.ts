import { GatewayError } from '../../base/errors.ts';
import { goOn } from '../../base/now-or-later.ts';
import { QueryCache } from '../../store/database/query-cache.ts';
import { cursorText, newestOf } from '../../store/messages/cursor.ts';
import { type Account, findAccount } from '../../store/people/accounts.ts';
import {
  type LiveLogins,
  liveLogins,
  type PlatformStatus,
  readLogins,
  type StoredLogins,
  statusesOf,
  type Viewer,
} from '../logins/platform-status.ts';
import type { AccountDomain } from './account-domain.ts';

/** What an account has and may do, for an agent that starts cold. */
export interface AccountStatus {
  readonly accountId: string;
  readonly name: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly platforms: readonly PlatformStatus[];
  /** Of the whole account, as the limit is. */
  readonly liveCalls: number;
  readonly callLimit: number;
  /** Messages after this are new. */
  readonly lastMessageCursor: string;
}

/** What the database has of an account, as somebody sees it. */
interface StoredAccount extends StoredLogins {
  readonly account: Account;
  readonly lastMessageCursor: string;
  /** What was told by it last. */
  last: { readonly by: string; readonly status: AccountStatus } | null;
}

/** What of an account may change without anything being written. */
interface LiveAccount extends LiveLogins {
  readonly calls: number;
}

/**
 * Tells accounts, of which agents ask often: what is stored is read again when anything has been written, and what is
 * the same as before is told by the same object.
 */
export function accountStatuses(
  domain: AccountDomain,
): (viewer: Viewer) => AccountStatus | Promise<AccountStatus> {
  const remembered = new QueryCache<StoredAccount>(domain.store);
  return (viewer) =>
    goOn(
      remembered.of(keyOf(viewer), () => readAccount(domain, viewer)),
      (stored) => statusNow(domain, viewer, stored),
    );
}

/** Two viewers with the same key are told the same. */
function keyOf({ accountId, agentIds, platforms }: Viewer): string {
  return JSON.stringify([accountId, agentIds, platforms && [...platforms]]);
}

async function readAccount(domain: AccountDomain, viewer: Viewer): Promise<StoredAccount> {
  const { store } = domain;
  const account = await findAccount(store.db, viewer.accountId);
  if (!account) throw new GatewayError('unauthorized');
  const logins = await readLogins(domain, viewer);
  const { cursor } = await newestOf(store.db, account.id);
  return { account, ...logins, lastMessageCursor: cursorText(cursor), last: null };
}

function statusNow(domain: AccountDomain, viewer: Viewer, stored: StoredAccount): AccountStatus {
  const calls = domain.calls.registry.countOf(viewer.accountId);
  const live: LiveAccount = { calls, ...liveLogins(domain, viewer.accountId) };
  const by = JSON.stringify(live);
  if (stored.last?.by !== by) stored.last = { by, status: statusOf(domain, viewer, stored, live) };
  return stored.last.status;
}

function statusOf(
  domain: AccountDomain,
  viewer: Viewer,
  stored: StoredAccount,
  live: LiveAccount,
): AccountStatus {
  const { account, lastMessageCursor } = stored;
  return {
    accountId: account.id,
    name: account.name,
    email: account.email,
    isEmailVerified: account.emailVerifiedAt !== null,
    platforms: statusesOf(live, viewer, stored),
    liveCalls: live.calls,
    callLimit: domain.calls.maxCallsPerAccount,
    lastMessageCursor,
  };
}
