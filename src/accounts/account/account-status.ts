import { GatewayError } from '../../base/errors.ts';
import { goOn } from '../../base/now-or-later.ts';
import type { SpeechKind } from '../../base/speech.ts';
import { QueryCache } from '../../store/database/query-cache.ts';
import { cursorText, newestOf } from '../../store/messages/cursor.ts';
import { type Account, findAccount } from '../../store/people/accounts.ts';
import { findEnabledVoiceConfigs } from '../../store/speech/voice-configs.ts';
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

/** What an account has and is allowed to do, for an agent that starts without context. */
export interface AccountStatus {
  readonly accountId: string;
  readonly name: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly platforms: readonly PlatformStatus[];
  /** Kinds of hosted speech with an enabled preset. */
  readonly hostedSpeech: readonly SpeechKind[];
  /** Calls of the whole account, as for the limit. */
  readonly liveCalls: number;
  readonly callLimit: number;
  /** Messages after this cursor are new. */
  readonly lastMessageCursor: string;
}

/** The stored part of an account's status, as seen by one viewer. */
interface StoredAccount extends StoredLogins {
  readonly account: Account;
  readonly hostedSpeech: readonly SpeechKind[];
  readonly lastMessageCursor: string;
  /** The last status that was built from it. */
  last: { readonly by: string; readonly status: AccountStatus } | null;
}

/** The part of an account's status that can change without a database write. */
interface LiveAccount extends LiveLogins {
  readonly calls: number;
}

/**
 * Returns a function that reports account statuses, which agents request often. Stored data is read again only after a
 * database write, and an unchanged status is returned as the same object.
 */
export function accountStatuses(
  domain: AccountDomain,
): (viewer: Viewer) => AccountStatus | Promise<AccountStatus> {
  const cache = new QueryCache<StoredAccount>(domain.store);
  return (viewer) =>
    goOn(
      cache.of(keyOf(viewer), () => readAccount(domain, viewer)),
      (stored) => statusNow(domain, viewer, stored),
    );
}

/** Viewers with the same key get the same status. Ids and names of platforms have no blanks and commas. */
function keyOf({ accountId, agentIds, platforms }: Viewer): string {
  return `${accountId} ${agentIds?.join() ?? '*'} ${platforms === null ? '*' : [...platforms].join()}`;
}

async function readAccount(domain: AccountDomain, viewer: Viewer): Promise<StoredAccount> {
  const { store } = domain;
  const account = await findAccount(store.db, viewer.accountId);
  if (!account) throw new GatewayError('unauthorized');
  const logins = await readLogins(domain, viewer);
  const { cursor } = await newestOf(store.db, account.id);
  const presets = await findEnabledVoiceConfigs(store.db, account.id);
  const hostedSpeech = presets.map(({ kind }) => kind);
  return { account, hostedSpeech, ...logins, lastMessageCursor: cursorText(cursor), last: null };
}

function statusNow(domain: AccountDomain, viewer: Viewer, stored: StoredAccount): AccountStatus {
  const by = liveMark(domain, viewer.accountId);
  if (stored.last?.by === by) return stored.last.status;
  const calls = domain.calls.registry.countOf(viewer.accountId);
  const live: LiveAccount = { calls, ...liveLogins(domain, viewer.accountId) };
  const status = statusOf(domain, viewer, stored, live);
  stored.last = { by, status };
  return status;
}

/** A text that changes when anything does that is in no database. Written out: JSON of it took a tenth of a whole request. */
function liveMark({ calls, directory }: AccountDomain, accountId: string): string {
  const { state, lastError } = directory.registration(accountId);
  let mark = `${calls.registry.countOf(accountId)}\0${state}\0${lastError}`;
  for (const { provides } of calls.connectors.values()) {
    const login = provides.sharedLogin?.sharedLogin();
    mark += login ? `\0${login.name}\0${login.status}` : '\0';
  }
  return mark;
}

function statusOf(
  domain: AccountDomain,
  viewer: Viewer,
  stored: StoredAccount,
  live: LiveAccount,
): AccountStatus {
  const { account, hostedSpeech, lastMessageCursor } = stored;
  return {
    accountId: account.id,
    name: account.name,
    email: account.email,
    isEmailVerified: account.emailVerifiedAt !== null,
    platforms: statusesOf(domain.traits, live, viewer, stored),
    hostedSpeech,
    liveCalls: live.calls,
    callLimit: domain.calls.maxCallsPerAccount,
    lastMessageCursor,
  };
}
