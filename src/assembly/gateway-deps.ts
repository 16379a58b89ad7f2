import type { OperatorKeys } from '../accounts/people/first-start.ts';
import type { Clock } from '../base/time.ts';
import type { Settings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import type { Loggers } from '../telemetry/loggers.ts';
import type { Engine } from '../threads/engine.ts';

/** Closes one part within some `deadlineMs`. */
export type Closer = (deadlineMs: number) => Promise<void>;

/** What the gateway is made from; whoever starts something adds how it is closed. */
export interface GatewayDeps {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly loggers: Loggers;
  readonly engine: Engine;
  readonly store: Store;
  readonly closers: Closer[];
}

/** Where a gateway that runs is found, and how its operator gets in. */
export interface Running {
  /** Where clients find it, without a slash at the end. */
  readonly publicUrl: string;
  readonly sipPort: number;
  /** Null: nothing listens for SIP over TLS. */
  readonly sipTlsPort: number | null;
  readonly operatorKeys: OperatorKeys;
}
