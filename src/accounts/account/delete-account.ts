import { setImmediate as turn } from 'node:timers/promises';
import { GatewayError } from '../../base/errors.ts';
import { hangUpAccount } from '../../calls/hang-up-call.ts';
import { deleteRows } from '../../store/database/rows.ts';
import { loginsOf } from '../../store/people/account-access.ts';
import { deleteSomeHistory, findAccount } from '../../store/people/accounts.ts';
import { auditDeletion } from '../../store/people/audit-log.ts';
import { endLogins } from '../logins/end-logins.ts';
import type { Client } from '../people/people.ts';
import type { AccountDomain } from './account-domain.ts';

const HANG_UP_DEADLINE_MS = 5_000;
/** Rows deleted per step; this many take less than a millisecond of the main thread. */
const BATCH_SIZE = 100;

/** Dependencies of the deletion of an account. */
export interface LeavingDomain extends AccountDomain {
  /** Throws `wrong_password`, or TooManyAttempts. */
  readonly checkPassword: (accountId: string, password: string, client: Client) => Promise<unknown>;
  /** Deletes the account's files, including their content. */
  readonly deleteFiles: (accountId: string) => Promise<void>;
  /** Ends the work of the account's models, and notes what their providers keep. */
  readonly leaveModels: (accountId: string) => Promise<void>;
  /** Deletes what was noted; called once the account is deleted. */
  readonly forgetModels: () => void;
  /** Removes the account's keys and sessions from the caches, once they are deleted. */
  readonly forgetCredentials: (accountId: string) => Promise<void>;
}

/**
 * Deletes an account and everything that it owns, except for one anonymous line in the audit log. Ends its live calls,
 * then deletes its files and its history step by step, then the rest in one transaction. If that fails, the account
 * still exists and can be deleted again. Requires the password if the account has one. Throws `wrong_password`,
 * TooManyAttempts, or `unauthorized` when the account is already gone.
 */
export async function deleteWholeAccount(
  domain: LeavingDomain,
  accountId: string,
  password: string | null,
  client: Client,
): Promise<void> {
  const account = await findAccount(domain.store.db, accountId);
  if (!account) throw new GatewayError('unauthorized');
  if (account.passwordHash !== null) await domain.checkPassword(accountId, password ?? '', client);
  const { registry, events } = domain.calls;
  registry.turnAway(accountId);
  try {
    await hangUpAccount(domain.calls, accountId, HANG_UP_DEADLINE_MS);
    await domain.leaveModels(accountId);
    await domain.deleteFiles(accountId);
    const rows = await emptyHistory(domain, accountId);
    await forget(domain, accountId, rows);
    domain.forgetModels();
  } finally {
    registry.readmit(accountId);
  }
  events.accountDeleted(accountId);
}

/** Deletes the account's history in batches and returns the number of rows. */
async function emptyHistory({ store }: AccountDomain, accountId: string): Promise<number> {
  for (let all = 0; ; await turn()) {
    const some = await deleteSomeHistory(store.db, accountId, BATCH_SIZE);
    if (some === 0) return all;
    all += some;
  }
}

/** Deletes the account itself. Afterwards no credential of it is valid and no call reaches it. */
async function forget(domain: LeavingDomain, accountId: string, historyRows: number): Promise<void> {
  const logins = await domain.store.db.transaction().execute(async (trx) => {
    const listed = await loginsOf(trx, accountId);
    if (!(await deleteRows(trx, 'accounts', { id: accountId }))) throw new GatewayError('unauthorized');
    const counts = { historyRows, bots: listed.bots.length, numbers: listed.dids.length };
    await auditDeletion(trx, accountId, counts, domain.clock.nowIso());
    return listed;
  });
  await endLogins(domain, accountId, logins);
  await domain.forgetCredentials(accountId);
}
