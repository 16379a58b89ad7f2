import type { SipAccounts, SipSetup } from '../../../src/accounts/logins/sip-accounts.ts';
import { TrunkChanges } from '../../../src/accounts/logins/trunk-changes.ts';

/** The limits on setting up SIP, around the given parts. */
export function sipSetup<Sip extends SipAccounts>(sip: Sip, maxNumbers = 1_000): Sip & SipSetup {
  return { ...sip, trunkChanges: new TrunkChanges(sip.clock), maxNumbers };
}
