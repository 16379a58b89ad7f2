import type { ConnectionDeps } from '../accounts/connections/connection-deps.ts';
import type { CallDomain } from '../calls/call-domain.ts';
import type { PartDeps } from './gateway-deps.ts';

/** Returns the dependencies of the accounts' connections to platforms. */
export function connectionDeps(
  { store, clock, publicUrl, wakeups, loggers }: PartDeps,
  { connectors }: CallDomain,
): ConnectionDeps {
  return {
    store,
    clock,
    connectors,
    publicUrl,
    wake: (accountId) => wakeups.wake(accountId),
    // No platform with OAuth places calls yet.
    endCalls: async () => undefined,
    onFailure: (platform, what, reason) => loggers.accounts.warn({ platform, reason }, what),
  };
}
