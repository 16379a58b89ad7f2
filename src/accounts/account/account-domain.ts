import type { PlatformTable } from '../../base/platform.ts';
import type { CallDomain } from '../../calls/call-domain.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { Connections } from '../connections/connections.ts';
import type { SipAccounts } from '../logins/sip-accounts.ts';

/** Dependencies of the operations on an account, built once by the composition root. */
export interface AccountDomain extends SipAccounts {
  /** What the platforms can do on this gateway. */
  readonly traits: PlatformTable;
  readonly calls: CallDomain;
  readonly connections: Connections;
  readonly budgets: Budgets;
}
