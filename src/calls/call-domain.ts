import type { Platform } from '../base/platform.ts';
import type { Clock } from '../base/time.ts';
import type { Connector } from '../connectors/contract/connector.ts';
import type { BusinessEvents } from '../telemetry/business-events.ts';
import type { Engine } from '../threads/engine.ts';
import type { PlayoutBudget } from '../threads/playout-budget.ts';
import type { CallIdentity } from './call.ts';
import { CallActor, type CallDeadlines } from './call-actor.ts';
import { CallPublisher } from './call-publisher.ts';
import type { CallRecorder } from './call-recorder.ts';
import type { CallRegistry } from './call-registry.ts';

/** Dependencies of the call operations, built once by the composition root. */
export interface CallDomain {
  readonly registry: CallRegistry;
  readonly connectors: ReadonlyMap<Platform, Connector>;
  readonly engine: Engine;
  readonly recorder: CallRecorder;
  readonly publisher: CallPublisher;
  readonly events: BusinessEvents;
  readonly clock: Clock;
  readonly deadlines: CallDeadlines;
  /** Memory for audio that is queued for playback. */
  readonly playout: PlayoutBudget;
  readonly maxCallsPerAccount: number;
  /** Whether the account has a login at a platform, even one without a connector. */
  readonly hasLogin: (accountId: string, platform: Platform) => Promise<boolean>;
}

/** Completes the domain with the publisher, which tells its other parts of everything that happens on calls. */
export function callDomain(parts: Omit<CallDomain, 'publisher'>): CallDomain {
  return { ...parts, publisher: new CallPublisher(parts) };
}

/** Creates a call's actor and its place in the engine. The call is registered until it is over. */
export function openCall(domain: CallDomain, identity: CallIdentity): CallActor {
  const { clock, deadlines, playout, publisher } = domain;
  const engineCall = domain.engine.place(identity.callId, {
    ended: (termination) => actor.post({ type: 'engine_ended', termination }),
  });
  const actor = new CallActor(identity, { engineCall, clock, deadlines, playout, publisher });
  actor.announce();
  return actor;
}

/** Whether the account may open another call. */
export function hasRoom({ registry, maxCallsPerAccount }: CallDomain, accountId: string): boolean {
  return registry.accepts(accountId) && registry.countOf(accountId) < maxCallsPerAccount;
}
