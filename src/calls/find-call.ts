import { GatewayError } from '../base/errors.ts';
import { type AgentScope, reaches } from '../base/scope.ts';
import type { CallSnapshot } from './call.ts';
import type { CallActor } from './call-actor.ts';
import type { CallDomain } from './call-domain.ts';
import { terminationOf } from './call-recorder.ts';
import { NO_TRANSCRIPT, type TranscriptPart } from './transcript.ts';

/** The live call with this id, if the scope may see it. @throws GatewayError `call_not_found` */
export function liveCall(domain: CallDomain, scope: AgentScope, callId: string): CallActor {
  const actor = domain.registry.find(callId);
  if (!actor || !sees(scope, actor.identity)) throw new GatewayError('call_not_found');
  return actor;
}

/**
 * A live call at once, or, from the database, one that was refused, missed or disconnected; those that ended are gone
 * for clients. @throws GatewayError `call_not_found`
 */
export function getCall(
  domain: CallDomain,
  scope: AgentScope,
  callId: string,
): CallSnapshot | Promise<CallSnapshot> {
  const actor = domain.registry.find(callId);
  if (actor) return readable(scope, actor.snapshot());
  return pastCall(domain, callId).then((call) => readable(scope, call));
}

/** What has been said on a call after its first `since` lines; nothing once it is over. */
export function transcriptOf({ registry }: CallDomain, callId: string, since: number): TranscriptPart {
  return registry.find(callId)?.transcript.since(since) ?? NO_TRANSCRIPT;
}

function readable(scope: AgentScope, call: CallSnapshot | null): CallSnapshot {
  if (!call || call.state === 'ended' || !sees(scope, call)) throw new GatewayError('call_not_found');
  return call;
}

/** The scope's live calls, ringing ones included, oldest first. */
export function listCalls(domain: CallDomain, scope: AgentScope): CallSnapshot[] {
  return domain.registry
    .listOf(scope.accountId)
    .filter((actor) => sees(scope, actor.identity))
    .map((actor) => actor.snapshot());
}

/** A call that is over, as it was stored; null when unknown or when its agent is gone. */
async function pastCall(domain: CallDomain, callId: string): Promise<CallSnapshot | null> {
  const row = await domain.recorder.find(callId);
  const connector = row && domain.connectors.get(row.platform);
  if (!row?.agentId || !connector) return null;
  const { capabilities } = connector;
  return { ...row, agentId: row.agentId, capabilities, termination: terminationOf(row) };
}

type SeenCall = Pick<CallSnapshot, 'accountId' | 'agentId' | 'platform'>;

/** Whether a call is one of the scope's. */
export function sees(scope: AgentScope, { accountId, agentId, platform }: SeenCall): boolean {
  return accountId === scope.accountId && scope.agentIds.includes(agentId) && reaches(scope, platform);
}
