import type { OperatorKeys } from '../accounts/people/first-start.ts';
import type { ReadingTime } from '../base/reading-time.ts';
import type { Clock } from '../base/time.ts';
import type { Wakeups } from '../messaging/inbox/wakeups.ts';
import type { Settings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import type { BusinessEvents } from '../telemetry/business-events.ts';
import type { Loggers } from '../telemetry/loggers.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { BridgePool } from '../threads/bridge-pool.ts';
import type { Engine } from '../threads/engine.ts';

/** Closes one part within about `deadlineMs`. */
export type Closer = (deadlineMs: number) => Promise<void>;

/** Dependencies of all parts of the gateway. Code that starts a part adds its closer. */
export interface GatewayDeps {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly loggers: Loggers;
  readonly engine: Engine;
  /** For connectors, as `Bridges` of their contract. */
  readonly bridges: BridgePool;
  readonly store: Store;
  /** Of the main thread, as accounts share it. */
  readonly readingTime: ReadingTime;
  readonly closers: Closer[];
}

/** What all parts share beyond that. */
export interface PartDeps extends GatewayDeps {
  readonly metrics: Metrics;
  readonly events: BusinessEvents;
  readonly wakeups: Wakeups;
  /** Base URL for clients, without a trailing slash. Known once HTTP listens. */
  readonly publicUrl: () => string;
}

/** The addresses and the operator's keys of a running gateway. */
export interface Running {
  /** Base URL for clients, without a trailing slash. */
  readonly publicUrl: string;
  readonly sipPort: number;
  /** Null: SIP over TLS is off. */
  readonly sipTlsPort: number | null;
  readonly operatorKeys: OperatorKeys;
  /** Of the link by which the operator gets a password; null: there is one. */
  readonly setupToken: string | null;
}
