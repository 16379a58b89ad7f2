import type { Platform } from '../../base/platform.ts';
import type { Clock } from '../../base/time.ts';
import type { Connector } from '../../connectors/contract/connector.ts';
import type { Store } from '../../store/store.ts';

/** Dependencies of connections by OAuth. */
export interface ConnectionDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly connectors: ReadonlyMap<Platform, Connector>;
  /** Without a trailing slash. */
  readonly publicUrl: () => string;
  /** Called with each account that got a new event. */
  readonly wake: (accountId: string) => void;
  /** Ends the live calls over a connection that is gone. Resolves once they are released, or after a deadline. */
  readonly endCalls: (accountId: string, connectionId: string, reason: string) => Promise<void>;
  /** Reports a failure to the operator. `reason` contains no secret. */
  readonly onFailure: (platform: Platform, what: string, reason: string) => void;
}
