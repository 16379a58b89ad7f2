import type { Budgets } from '../accounts/budgets/budgets.ts';
import type { FairShare } from '../base/fair-share.ts';
import type { PlatformTable } from '../base/platform.ts';
import type { Clock } from '../base/time.ts';
import type { CallDomain } from '../calls/call-domain.ts';
import type { Reading } from '../messaging/inbox/inbox-view.ts';
import type { Wakeups } from '../messaging/inbox/wakeups.ts';
import type { OutboundDomain } from '../messaging/outbox/outbound-domain.ts';
import type { GatewayTools } from '../models/model-client.ts';
import type { Db } from '../store/database/rows.ts';
import type { Store } from '../store/store.ts';
import type { ModelEvents } from '../telemetry/model-events.ts';
import type { ReachLimits } from './actions/reach-limits.ts';
import type { LoopGuard } from './feed/loop-guard.ts';
import type { Forgetting } from './forgetting/forgetting.ts';
import type { KnownProviders } from './turn/known-providers.ts';
import type { ModelClients } from './turn/model-clients.ts';
import type { CallVoices } from './voice/call-voices.ts';

/** What the work for agents with a model is built from. */
export interface InlineDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** What the platforms can do on this gateway. */
  readonly traits: PlatformTable;
  readonly wakeups: Wakeups;
  readonly outbound: OutboundDomain;
  readonly calls: CallDomain;
  /** Reads the content of events. */
  readonly reading: Reading;
  readonly clients: ModelClients;
  /** The gateway's MCP endpoint for an agent's model. Null: there is none that the model could reach. */
  readonly toolsOf: (accountId: string, agentId: string) => Promise<GatewayTools | null>;
  /** The same for an agent that has used them before; null: it has not. */
  readonly knownTools: (db: Db, agentId: string) => Promise<GatewayTools | null>;
  readonly observer: InlineObserver;
  /** What agents may use of their models. */
  readonly budgets: Budgets;
  /** Turns under way: each holds a connection to a provider. */
  readonly turns: FairShare;
  /** Called when a turn of one of the account's agents has ended. */
  readonly turnEnded: (accountId: string) => void;
}

/** Dependencies of the work for agents with a model, completed by the runner. */
export interface InlineDomain extends InlineDeps {
  readonly forgetting: Forgetting;
  readonly guard: LoopGuard;
  readonly providers: KnownProviders;
  readonly reach: ReachLimits;
  readonly voices: CallVoices;
}

/** Is told what operators should know. */
export type InlineObserver = Pick<
  ModelEvents,
  'turnAnswered' | 'turnEnded' | 'turnFailed' | 'actionRefused' | 'loopStopped' | 'queueFull' | 'workFailed'
>;
