import { GatewayError } from '../base/errors.ts';
import { newestOf } from '../messaging/cursor.ts';
import { findAccount } from '../store/accounts.ts';
import type { AccountDomain } from './account-domain.ts';
import { type PlatformStatus, platformStatuses, type Viewer } from './platform-status.ts';

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

export async function accountStatus(domain: AccountDomain, viewer: Viewer): Promise<AccountStatus> {
  const { calls, clock, store } = domain;
  const account = await findAccount(store.db, viewer.accountId);
  if (!account) throw new GatewayError('unauthorized');
  return {
    accountId: account.id,
    name: account.name,
    email: account.email,
    isEmailVerified: account.emailVerifiedAt !== null,
    platforms: await platformStatuses(domain, viewer),
    liveCalls: calls.registry.countOf(viewer.accountId),
    callLimit: calls.maxCallsPerAccount,
    lastMessageCursor: (await newestOf(store.db, account.id, clock.nowIso())).cursor,
  };
}
