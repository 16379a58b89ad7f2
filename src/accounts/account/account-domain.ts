import type { CallDomain } from '../../calls/call-domain.ts';
import type { SipAccounts } from '../logins/sip-accounts.ts';

/** What the verbs on an account as a whole work with; put together once by the composition root. */
export interface AccountDomain extends SipAccounts {
  readonly calls: CallDomain;
}
