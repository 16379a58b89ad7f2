import { GatewayError } from '../base/errors.ts';
import { PLATFORM_TRAITS } from '../base/platform.ts';
import { type AgentScope, reaches } from '../base/scope.ts';
import type { CallSnapshot } from './call.ts';
import type { CallActor } from './call-actor.ts';
import type { CallDomain } from './call-domain.ts';
import { terminationOf } from './call-recorder.ts';
import { Transcript, type TranscriptPart } from './transcript.ts';

/** Returns the live call with this id, if the scope may see it. @throws GatewayError `call_not_found` */
export function liveCall(domain: CallDomain, scope: AgentScope, callId: string): CallActor {
  const actor = domain.registry.find(callId);
  if (!actor || !sees(scope, actor.identity)) throw new GatewayError('call_not_found');
  return actor;
}

/**
 * Returns a live call at once, or reads one that was refused, missed or disconnected from the database. Calls in state
 * `ended` are not found.
 * @throws GatewayError `call_not_found`
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

/** Returns the transcript after its first `since` lines: of a live call at once, of a past one from the database. */
export function transcriptOf(
  { registry, recorder }: CallDomain,
  callId: string,
  since: number,
): TranscriptPart | Promise<TranscriptPart> {
  const live = registry.find(callId)?.transcript.since(since);
  return live ?? recorder.transcript(callId).then((lines) => Transcript.restored(lines).since(since));
}

function readable(scope: AgentScope, call: CallSnapshot | null): CallSnapshot {
  if (!call || call.state === 'ended' || !sees(scope, call)) throw new GatewayError('call_not_found');
  return call;
}

/** Returns the scope's live calls, including ringing ones, oldest first. */
export function listCalls(domain: CallDomain, scope: AgentScope): CallSnapshot[] {
  return domain.registry
    .listOf(scope.accountId)
    .filter((actor) => sees(scope, actor.identity))
    .map((actor) => actor.snapshot());
}

/** Returns a stored call that is over; null when it is unknown or its agent was deleted. */
async function pastCall({ recorder }: CallDomain, callId: string): Promise<CallSnapshot | null> {
  const row = await recorder.find(callId);
  if (!row?.agentId) return null;
  // Calls were stored without their capabilities at first.
  const capabilities = row.capabilities ?? PLATFORM_TRAITS[row.platform].capabilities;
  const over = { waitingReason: null, participants: [], termination: terminationOf(row) };
  return { ...row, agentId: row.agentId, capabilities, ...over };
}

type SeenCall = Pick<CallSnapshot, 'accountId' | 'agentId' | 'platform'>;

/** Whether the scope may see a call. */
export function sees(scope: AgentScope, { accountId, agentId, platform }: SeenCall): boolean {
  return accountId === scope.accountId && scope.agentIds.includes(agentId) && reaches(scope, platform);
}
