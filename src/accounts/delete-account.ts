import { setImmediate as turn } from 'node:timers/promises';
import { GatewayError } from '../base/errors.ts';
import { hangUpAccount } from '../calls/hang-up-call.ts';
import { deleteSomeHistory } from '../store/account-history.ts';
import { deleteAccount, findAccount } from '../store/accounts.ts';
import { listBots } from '../store/bot-tokens.ts';
import { listDids } from '../store/sip-dids.ts';
import type { AccountDomain } from './account-domain.ts';
import { botHost } from './hosted-bots.ts';

const HANG_UP_DEADLINE_MS = 5_000;
/** Deleted at once; so few take less than a millisecond of the main thread. */
const BATCH_SIZE = 100;

/** What it takes to let an account go. */
export interface LeavingDomain extends AccountDomain {
  /** Throws `wrong_password`, or TooManyAttempts. */
  readonly checkPassword: (accountId: string, password: string, ip: string) => Promise<void>;
  /** Deletes the account's files, bytes and all. */
  readonly deleteFiles: (accountId: string) => Promise<void>;
  /** Lets nobody in any more by the account's keys and sessions, once they are deleted. */
  readonly forgetCredentials: (accountId: string) => Promise<void>;
}

/**
 * Deletes an account and everything that it owns: ends its live calls, then empties its files and its history step by
 * step, then removes all the rest in one transaction. When that fails the account is still there, and can be deleted
 * again.
 * The password is needed where the account has one. Throws `wrong_password`, TooManyAttempts, or `unauthorized` when it
 * is gone already.
 */
export async function deleteWholeAccount(
  domain: LeavingDomain,
  accountId: string,
  password: string | null,
  ip: string,
): Promise<void> {
  const account = await findAccount(domain.store.db, accountId);
  if (!account) throw new GatewayError('unauthorized');
  if (account.passwordHash !== null) await domain.checkPassword(accountId, password ?? '', ip);
  const { registry, events } = domain.calls;
  registry.turnAway(accountId);
  try {
    await hangUpAccount(domain.calls, accountId, HANG_UP_DEADLINE_MS);
    await domain.deleteFiles(accountId);
    await emptyHistory(domain, accountId);
    await forget(domain, accountId);
  } finally {
    registry.readmit(accountId);
  }
  events.accountDeleted(accountId);
}

async function emptyHistory({ store }: AccountDomain, accountId: string): Promise<void> {
  while ((await deleteSomeHistory(store.db, accountId, BATCH_SIZE)) > 0) await turn();
}

/** From here on no credential of the account opens anything and no call reaches it. */
async function forget(domain: LeavingDomain, accountId: string): Promise<void> {
  const { dids, bots } = await domain.store.db.transaction().execute(async (trx) => {
    const listed = { dids: await listDids(trx, accountId), bots: await listBots(trx, accountId) };
    if (!(await deleteAccount(trx, accountId))) throw new GatewayError('unauthorized');
    return listed;
  });
  for (const { id, platform } of bots) await botHost(domain, platform)?.removeBot(id);
  for (const { id } of dids) domain.directory.removeNumber(id);
  domain.directory.removeTrunk(accountId);
  await domain.forgetCredentials(accountId);
}
