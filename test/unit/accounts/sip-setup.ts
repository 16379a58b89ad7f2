import { TrunkChanges } from '../../../src/accounts/account/quotas.ts';
import type { SipAccounts, SipSetup } from '../../../src/accounts/logins/sip-accounts.ts';

/** The limits on setting up SIP, around the given parts. */
export function sipSetup<Sip extends SipAccounts>(sip: Sip, maxNumbers = 1_000): Sip & SipSetup {
  return { ...sip, trunkChanges: new TrunkChanges(sip.clock), maxNumbers };
}
