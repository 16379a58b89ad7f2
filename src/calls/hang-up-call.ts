import type { AgentScope } from '../base/scope.ts';
import type { CallSnapshot } from './call.ts';
import type { CallActor } from './call-actor.ts';
import type { CallDomain } from './call-domain.ts';
import { isOver } from './call-state.ts';
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

/** Ends every call of an account from which all access was taken away; the platforms are told in the background. */
export function hangUpForeign({ registry }: CallDomain, accountId: string): void {
  for (const actor of registry.listOf(accountId))
    actor.post({ type: 'hang_up', reason: 'the access to the account was taken away' });
}

/**
 * Ends every call of an account that is going away, and waits until all is released and written, or `deadlineMs` has
 * passed. The registry must turn the account away before, so that no call is added meanwhile.
 */
export async function hangUpAccount(
  domain: CallDomain,
  accountId: string,
  deadlineMs: number,
): Promise<void> {
  const actors = domain.registry.listOf(accountId);
  for (const actor of actors) actor.post({ type: 'hang_up', reason: 'the account was deleted' });
  await within(domain, deadlineMs, actors.map(gone));
  for (const { identity } of actors) await domain.recorder.find(identity.callId);
}

/**
 * Takes no more calls and ends every live one as `disconnected`, because nobody hung up. Waits until all are released
 * and written, so that agents still hear of it, or `deadlineMs` has passed.
 */
export async function disconnectAll(domain: CallDomain, deadlineMs: number): Promise<void> {
  domain.registry.close();
  const actors = domain.registry.all();
  for (const actor of actors) actor.post({ type: 'gateway_stopped' });
  await within(domain, deadlineMs, [...actors.map(gone), domain.recorder.settled()]);
}

/** Resolves when a call is over, which one that is being placed is only once it has its leg, and is released. */
async function gone(actor: CallActor): Promise<void> {
  for (let { state } = actor; !isOver(state); ) state = await actor.leaves(state.name);
  await actor.released();
}

/** Waits until all have settled, or `deadlineMs` has passed. */
async function within({ clock }: CallDomain, deadlineMs: number, all: Promise<void>[]): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(deadlineMs, resolve);
  await Promise.race([Promise.allSettled(all), late]);
  cancel();
}
