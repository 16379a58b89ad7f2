import { GatewayError } from '../base/errors.ts';
import type { AgentScope } from '../base/scope.ts';
import type { CallSnapshot } from './call.ts';
import type { CallDomain } from './call-domain.ts';
import { isOver, type OverState } from './call-state.ts';
import { liveCall } from './find-call.ts';

/**
 * Accepts a ringing call and waits until media flows, which the call's own deadline bounds.
 * @throws GatewayError `call_not_found`, `call_not_ringing`, `platform_failed`
 */
export async function acceptCall(
  domain: CallDomain,
  scope: AgentScope,
  callId: string,
): Promise<CallSnapshot> {
  const actor = liveCall(domain, scope, callId);
  if (actor.state.name !== 'ringing') throw new GatewayError('call_not_ringing');
  actor.post({ type: 'accept' });
  const state = await actor.leaves('ringing');
  if (isOver(state)) throw acceptFailure(state);
  return actor.snapshot();
}

/** A call that somebody hung up or refused meanwhile is as gone as if the request had come a moment later. */
function acceptFailure({ termination }: OverState): GatewayError {
  const broken = termination.result === 'failed' || termination.result === 'internal_error';
  return broken
    ? new GatewayError('platform_failed', `The call could not be accepted: ${termination.reason}`)
    : new GatewayError('call_not_found');
}

/** Refuses a ringing call. @throws GatewayError `call_not_found`, `call_not_ringing` */
export function refuseCall(domain: CallDomain, scope: AgentScope, callId: string): CallSnapshot {
  const actor = liveCall(domain, scope, callId);
  if (actor.state.name !== 'ringing') throw new GatewayError('call_not_ringing');
  actor.post({ type: 'refuse' });
  return actor.snapshot();
}
