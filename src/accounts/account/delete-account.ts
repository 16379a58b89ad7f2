import { setImmediate as turn } from 'node:timers/promises';
import { GatewayError } from '../../base/errors.ts';
import { settledWithin } from '../../base/time.ts';
import { hangUpAccount } from '../../calls/hang-up-call.ts';
import type { FileDomain } from '../../files/file-domain.ts';
import { deleteAccountFiles, removeBytes } from '../../files/remove-files.ts';
import { deleteRows, listRows } from '../../store/database/rows.ts';
import { loginsOf } from '../../store/people/account-access.ts';
import { deleteSomeHistory, findAccount, leavingAccounts, noteLeaving } from '../../store/people/accounts.ts';
import { auditDeletion } from '../../store/people/audit-log.ts';
import { endLogins } from '../logins/end-logins.ts';
import type { Client } from '../people/people.ts';
import type { AccountDomain } from './account-domain.ts';

/** How long calls and transfers of files may take to end. */
const END_DEADLINE_MS = 5_000;
/** Rows deleted per step; this many take less than a millisecond of the main thread. */
const BATCH_SIZE = 100;

/** Dependencies of the deletion of an account. */
export interface LeavingDomain extends AccountDomain {
  readonly files: FileDomain;
  /** Throws `wrong_password`, or TooManyAttempts. */
  readonly checkPassword: (accountId: string, password: string, client: Client) => Promise<unknown>;
  /** Ends the work of the account's models, and notes what their providers keep. */
  readonly leaveModels: (accountId: string) => Promise<void>;
  /** Deletes what was noted; called once the account is deleted. */
  readonly forgetModels: () => void;
  /** Refuses the account's keys, sessions and clients, and closes their connections. */
  readonly closeAccess: (accountId: string) => void;
  /** Takes those again that are still in the database. */
  readonly reopenAccess: (accountId: string) => Promise<void>;
}

/**
 * Deletes an account and everything that it owns, except for one anonymous line in the audit log. Turns everything away
 * that the account could still get, ends its live calls and transfers, then deletes its files and its history step by
 * step, then the rest in one transaction. If that fails, the account still exists and can be deleted again; after a
 * crash, the next start goes on. Requires the password if the account has one. Throws `wrong_password`, TooManyAttempts,
 * or `unauthorized` when the account is already gone.
 */
export async function deleteWholeAccount(
  domain: LeavingDomain,
  accountId: string,
  password: string | null,
  client: Client,
): Promise<void> {
  const { db } = domain.store;
  const account = await findAccount(db, accountId);
  if (!account) throw new GatewayError('unauthorized');
  if (account.passwordHash !== null) await domain.checkPassword(accountId, password ?? '', client);
  await noteLeaving(db, accountId, domain.clock.nowIso());
  try {
    await leave(domain, accountId);
  } catch (error) {
    await noteLeaving(db, accountId, null);
    await domain.reopenAccess(accountId);
    throw error;
  }
}

/** Finishes the deletions that a crash has interrupted. Call it before anything is served. */
export async function finishDeletions(domain: LeavingDomain): Promise<void> {
  for (const accountId of await leavingAccounts(domain.store.db)) await leave(domain, accountId);
}

async function leave(domain: LeavingDomain, accountId: string): Promise<void> {
  turnAway(domain, accountId);
  try {
    await endWork(domain, accountId);
    await deleteAccountFiles(domain.files, accountId);
    await forget(domain, accountId, await emptyHistory(domain, accountId));
  } finally {
    readmit(domain, accountId);
  }
  domain.forgetModels();
  domain.calls.events.accountDeleted(accountId);
}

/** From here on nothing new begins for the account: no request, connection, message, call or file. */
function turnAway({ calls, store, closeAccess }: LeavingDomain, accountId: string): void {
  calls.registry.turnAway(accountId);
  store.quota.turnAway(accountId);
  closeAccess(accountId);
}

function readmit({ calls, store, files }: LeavingDomain, accountId: string): void {
  calls.registry.readmit(accountId);
  store.quota.readmit(accountId);
  files.transfers.readmit(accountId);
}

async function endWork(
  { calls, clock, files, leaveModels }: LeavingDomain,
  accountId: string,
): Promise<void> {
  await Promise.all([
    hangUpAccount(calls, accountId, END_DEADLINE_MS),
    settledWithin(clock, END_DEADLINE_MS, [files.transfers.turnAway(accountId)]),
  ]);
  await leaveModels(accountId);
}

/** Deletes the account's history in batches and returns the number of rows. */
async function emptyHistory({ store }: AccountDomain, accountId: string): Promise<number> {
  for (let all = 0; ; await turn()) {
    const some = await deleteSomeHistory(store.db, accountId, BATCH_SIZE);
    if (some === 0) return all;
    all += some;
  }
}

/**
 * Deletes the account itself. Afterwards no credential of it is valid and no call reaches it. A request that was under way
 * may have stored a file since the others were deleted.
 */
async function forget(domain: LeavingDomain, accountId: string, historyRows: number): Promise<void> {
  const { logins, files } = await domain.store.db.transaction().execute(async (trx) => {
    const listed = await loginsOf(trx, accountId);
    const late = await listRows(trx, 'files', { accountId });
    if (!(await deleteRows(trx, 'accounts', { id: accountId }))) throw new GatewayError('unauthorized');
    const counts = { historyRows, bots: listed.bots.length, numbers: listed.dids.length };
    await auditDeletion(trx, accountId, counts, domain.clock.nowIso());
    return { logins: listed, files: late };
  });
  for (const file of files) await removeBytes(domain.files, file);
  await endLogins(domain, accountId, logins);
  await domain.reopenAccess(accountId);
}
