import type { Platform } from '../base/platform.ts';
import type { Clock } from '../base/time.ts';
import type { Connector } from '../connectors/contract/connector.ts';
import type { BusinessEvents } from '../telemetry/business-events.ts';
import type { Engine } from '../threads/engine.ts';
import type { PlayoutBudget } from '../threads/playout-budget.ts';
import type { CallEvent, CallIdentity } from './call.ts';
import { CallActor, type CallDeadlines } from './call-actor.ts';
import type { CallRecorder } from './call-recorder.ts';
import type { CallRegistry } from './call-registry.ts';
import { isOver } from './call-state.ts';

/** Dependencies of the call operations, built once by the composition root. */
export interface CallDomain {
  readonly registry: CallRegistry;
  readonly connectors: ReadonlyMap<Platform, Connector>;
  readonly engine: Engine;
  readonly recorder: CallRecorder;
  readonly events: BusinessEvents;
  readonly clock: Clock;
  readonly deadlines: CallDeadlines;
  /** Memory for audio that is queued for playback. */
  readonly playout: PlayoutBudget;
  readonly maxCallsPerAccount: number;
  /** Whether the account has a login at a platform, even one without a connector. */
  readonly hasLogin: (accountId: string, platform: Platform) => Promise<boolean>;
}

/** Creates a call's actor and its place in the engine, and adds it to the registry, where it stays until it is over. */
export function openCall(domain: CallDomain, identity: CallIdentity): CallActor {
  const engineCall = domain.engine.place(identity.callId, {
    ended: (termination) => actor.post({ type: 'engine_ended', termination }),
  });
  const startedMs = domain.clock.monotonicMs();
  const actor = new CallActor(identity, {
    engineCall,
    clock: domain.clock,
    deadlines: domain.deadlines,
    playout: domain.playout,
    listener: { happened: (call, event) => follow(domain, call, event, startedMs) },
  });
  domain.registry.add(actor);
  domain.events.callStarted(identity);
  return actor;
}

/** Forwards a call's event to the recorder, the followers and the business events. */
function follow(domain: CallDomain, call: CallActor, event: CallEvent, startedMs: number): void {
  domain.recorder.happened(call.snapshot(), event);
  if (event.type === 'call_transcript') domain.registry.followers.tell(call.identity, 'transcribed');
  if (event.type !== 'call_state') return;
  const { events, registry } = domain;
  const sinceStartMs = domain.clock.monotonicMs() - startedMs;
  if (isOver(call.state)) {
    registry.remove(call);
    events.callEnded(call.identity, event.state, call.state.termination, sinceStartMs);
  } else {
    events.callAnswered(call.identity, sinceStartMs);
  }
}

/** Whether the account may open another call. */
export function hasRoom({ registry, maxCallsPerAccount }: CallDomain, accountId: string): boolean {
  return registry.accepts(accountId) && registry.countOf(accountId) < maxCallsPerAccount;
}
