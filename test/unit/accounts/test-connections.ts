import type { ConnectionDeps } from '../../../src/accounts/connections/connection-deps.ts';
import { type Connections, openConnections } from '../../../src/accounts/connections/connections.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { Store } from '../../../src/store/store.ts';

/** The connections of a gateway without platforms, unless `deps` has some. A failure fails the test. */
export function connectionsOf(store: Store, deps: Partial<ConnectionDeps> = {}): Connections {
  return openConnections({
    store,
    clock: systemClock,
    connectors: new Map(),
    publicUrl: () => 'http://127.0.0.1:9',
    wake: () => undefined,
    endCalls: async () => undefined,
    onFailure: (platform, what, reason) => {
      throw new Error(`${platform}: ${what}: ${reason}`);
    },
    ...deps,
  });
}
