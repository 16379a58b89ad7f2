import { hangUpForeign } from '../../calls/hang-up-call.ts';
import type { GoneLogins } from '../../store/people/account-access.ts';
import type { AccountDomain } from '../account/account-domain.ts';
import { botHost } from './hosted-bots.ts';

/** Ends the account's calls, and logs out what is gone from the database: its bots, its numbers and its trunk. */
export async function endLogins(
  domain: AccountDomain,
  accountId: string,
  { bots, dids }: GoneLogins,
): Promise<void> {
  hangUpForeign(domain.calls, accountId);
  for (const { id, platform } of bots) await botHost(domain, platform)?.removeBot(id);
  for (const { id } of dids) domain.directory.removeNumber(id);
  domain.directory.removeTrunk(accountId);
}
