import type { ConnectionDeps } from '../accounts/connections/connection-deps.ts';
import type { CallDomain } from '../calls/call-domain.ts';
import { hangUpLogin } from '../calls/hang-up-call.ts';
import type { PartDeps } from './gateway-deps.ts';

/** Returns the dependencies of the accounts' connections to platforms. */
export function connectionDeps(
  { store, clock, publicUrl, wakeups, loggers }: PartDeps,
  calls: CallDomain,
): ConnectionDeps {
  return {
    store,
    clock,
    connectors: calls.connectors,
    publicUrl,
    wake: (accountId) => wakeups.wake(accountId),
    endCalls: (accountId, id, reason) => hangUpLogin(calls, accountId, { kind: 'connection', id }, reason),
    onFailure: (platform, what, reason) => loggers.accounts.warn({ platform, reason }, what),
  };
}
