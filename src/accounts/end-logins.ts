import type { GoneLogins } from '../store/account-access.ts';
import type { AccountDomain } from './account-domain.ts';
import { botHost } from './hosted-bots.ts';

/** Logs out what is gone from the database: the account's bots, its numbers and its trunk. */
export async function endLogins(
  domain: AccountDomain,
  accountId: string,
  { bots, dids }: GoneLogins,
): Promise<void> {
  for (const { id, platform } of bots) await botHost(domain, platform)?.removeBot(id);
  for (const { id } of dids) domain.directory.removeNumber(id);
  domain.directory.removeTrunk(accountId);
}
