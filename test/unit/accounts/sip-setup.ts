import type { SipAccounts, SipSetup } from '../../../src/accounts/logins/sip-accounts.ts';
import { TrunkChanges } from '../../../src/accounts/logins/trunk-changes.ts';

/** What bounds the setting up of SIP, around what there is. */
export function sipSetup<Sip extends SipAccounts>(sip: Sip, maxNumbers = 1_000): Sip & SipSetup {
  return { ...sip, trunkChanges: new TrunkChanges(sip.clock), maxNumbers };
}
