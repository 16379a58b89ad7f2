import { hangUpForeign } from '../../calls/hang-up-call.ts';
import type { GoneLogins } from '../../store/people/account-access.ts';
import type { AccountDomain } from '../account/account-domain.ts';
import { endConnection } from '../connections/disconnect.ts';
import { botHost } from './hosted-bots.ts';

/**
 * Ends the account's calls and logs out the bots, connections, numbers and trunk that were deleted from the database.
 */
export async function endLogins(
  domain: AccountDomain,
  accountId: string,
  { bots, dids, connections }: GoneLogins,
): Promise<void> {
  hangUpForeign(domain.calls, accountId);
  for (const { id, platform } of bots) await botHost(domain, platform)?.removeBot(id);
  await Promise.all(connections.map((gone) => endConnection(domain.connections, gone)));
  for (const { id } of dids) domain.directory.removeNumber(id);
  domain.directory.removeTrunk(accountId);
}
