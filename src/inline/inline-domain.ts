import type { Clock } from '../base/time.ts';
import type { CallDomain } from '../calls/call-domain.ts';
import type { Reading } from '../messaging/inbox/inbox-view.ts';
import type { OutboundDomain } from '../messaging/outbox/outbound-domain.ts';
import type { GatewayTools } from '../models/model-client.ts';
import type { Store } from '../store/store.ts';
import type { ModelEvents } from '../telemetry/model-events.ts';
import type { Forgetting } from './turn/forgetting.ts';
import type { ModelClients } from './turn/model-clients.ts';

/** Dependencies of the work for agents with a model. Built once by the composition root. */
export interface InlineDomain {
  readonly store: Store;
  readonly clock: Clock;
  readonly outbound: OutboundDomain;
  readonly calls: CallDomain;
  /** Reads the content of events. */
  readonly reading: Reading;
  readonly clients: ModelClients;
  readonly forgetting: Forgetting;
  /** The gateway's MCP endpoint for an agent's model. Null: there is none that the model could reach. */
  readonly toolsOf: (agentId: string) => Promise<GatewayTools | null>;
  readonly observer: InlineObserver;
}

/** Is told what operators should know. */
export type InlineObserver = Pick<
  ModelEvents,
  'turnAnswered' | 'turnEnded' | 'turnFailed' | 'queueFull' | 'workFailed'
>;
