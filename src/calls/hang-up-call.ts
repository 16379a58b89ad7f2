import type { AgentScope } from '../base/scope.ts';
import type { CallSnapshot } from './call.ts';
import type { CallDomain } from './call-domain.ts';
import { liveCall } from './find-call.ts';

/** Ends a call; the platform is told in the background. @throws GatewayError `call_not_found` */
export function hangUpCall(domain: CallDomain, scope: AgentScope, callId: string): CallSnapshot {
  const actor = liveCall(domain, scope, callId);
  actor.post({ type: 'hang_up', reason: 'hung up by the agent' });
  return actor.snapshot();
}

/** Ends every call of an agent that is gone: nobody could reach them any more. */
export function hangUpAgent({ registry }: CallDomain, accountId: string, agentId: string): void {
  for (const actor of registry.listOf(accountId)) {
    if (actor.identity.agentId === agentId) actor.post({ type: 'hang_up', reason: 'the agent was deleted' });
  }
}

/** Takes no more calls, ends every live one, and waits until all is released or `deadlineMs` has passed. */
export async function hangUpAll(domain: CallDomain, deadlineMs: number): Promise<void> {
  domain.registry.close();
  const actors = domain.registry.all();
  for (const actor of actors) actor.post({ type: 'hang_up', reason: 'the gateway is closing' });
  await Promise.race([
    Promise.allSettled(actors.map((actor) => actor.released())),
    new Promise<void>((resolve) => domain.clock.after(deadlineMs, resolve)),
  ]);
}
