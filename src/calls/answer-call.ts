import { GatewayError } from '../base/errors.ts';
import type { AgentScope } from '../base/scope.ts';
import type { Termination } from '../base/termination.ts';
import { type CallDomain, hasRoomToTalk, liveCall } from './call-domain.ts';
import type { CallSnapshot } from './call-event.ts';
import { isOver, type OverState } from './call-state.ts';

const BROKEN: ReadonlySet<Termination['result']> = new Set(['failed', 'internal_error', 'disconnected']);

/**
 * Accepts a ringing call and waits until media flows. The call's own deadline bounds the wait.
 * @throws GatewayError `call_not_found`, `call_not_ringing`, `call_limit`, `platform_failed`
 */
export async function acceptCall(
  domain: CallDomain,
  scope: AgentScope,
  callId: string,
): Promise<CallSnapshot> {
  const actor = liveCall(domain, scope, callId);
  if (actor.state.name !== 'ringing') throw new GatewayError('call_not_ringing');
  if (!actor.state.accepting && !hasRoomToTalk(domain, actor.identity.accountId))
    throw new GatewayError('call_limit');
  actor.post({ type: 'accept' });
  const state = await actor.leaves('ringing');
  if (isOver(state)) throw acceptFailure(state);
  return actor.snapshot();
}

/**
 * Returns the error for a call that ended before media flowed. A call that was hung up or refused meanwhile answers
 * `call_not_found`, as it would have a moment later. A failed call answers `platform_failed` with the reason.
 */
function acceptFailure({ termination }: OverState): GatewayError {
  return BROKEN.has(termination.result)
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
