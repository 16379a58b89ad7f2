import type { AgentScope } from '../base/scope.ts';
import { settledWithin } from '../base/time.ts';
import type { CallLogin } from '../connectors/contract/connector.ts';
import type { CallActor } from './call-actor.ts';
import { type CallDomain, liveCall } from './call-domain.ts';
import type { CallSnapshot } from './call-event.ts';
import { isOver } from './call-state.ts';

const RELEASE_MS = 5_000;

/** Ends a call without waiting for the platform. @throws GatewayError `call_not_found` */
export function hangUpCall(domain: CallDomain, scope: AgentScope, callId: string): CallSnapshot {
  const actor = liveCall(domain, scope, callId);
  actor.post({ type: 'hang_up', reason: 'hung up by the agent' });
  return actor.snapshot();
}

function hangUpAll(actors: readonly CallActor[], reason: string): void {
  for (const actor of actors) actor.post({ type: 'hang_up', reason });
}

/** Ends every call of a deleted agent, which nothing could control any more. */
export function hangUpAgent({ registry }: CallDomain, accountId: string, agentId: string): void {
  const actors = registry.listOf(accountId).filter((actor) => actor.identity.agentId === agentId);
  hangUpAll(actors, 'the agent was deleted');
}

/**
 * Ends the account's calls over one login, before the login goes away. Waits until they are released, but at most 5 s.
 */
export async function hangUpLogin(
  { registry, clock }: CallDomain,
  accountId: string,
  login: CallLogin,
  reason: string,
): Promise<void> {
  const actors = registry.listOf(accountId).filter((actor) => isSame(actor.login, login));
  hangUpAll(actors, reason);
  await settledWithin(clock, RELEASE_MS, actors.map(released));
}

function isSame(one: CallLogin, other: CallLogin): boolean {
  const idOf = (login: CallLogin): string | null => ('id' in login ? login.id : null);
  return one.kind === other.kind && idOf(one) === idOf(other);
}

/** Ends every call of an account whose access was revoked, without waiting for the platforms. */
export function hangUpForeign({ registry }: CallDomain, accountId: string): void {
  hangUpAll(registry.listOf(accountId), 'access to the account was revoked');
}

/**
 * Ends every call of an account that is being deleted. Waits until all calls are released and recorded, but at most
 * `deadlineMs`. The registry must refuse new calls of the account first.
 */
export async function hangUpAccount(
  domain: CallDomain,
  accountId: string,
  deadlineMs: number,
): Promise<void> {
  const actors = domain.registry.listOf(accountId);
  hangUpAll(actors, 'the account was deleted');
  await settledWithin(domain.clock, deadlineMs, actors.map(released));
  for (const { identity } of actors) await domain.recorder.find(identity.callId);
}

/**
 * Refuses new calls and ends all live ones as `disconnected`. Waits until all are released and recorded, so that agents
 * receive the final events, but at most `deadlineMs`.
 */
export async function disconnectAll(domain: CallDomain, deadlineMs: number): Promise<void> {
  domain.registry.close();
  const actors = domain.registry.all();
  for (const actor of actors) actor.post({ type: 'gateway_stopped' });
  await settledWithin(domain.clock, deadlineMs, [...actors.map(released), domain.recorder.settled()]);
}

/** Resolves when a call is over and released. A call that is being placed can only end once it has its leg. */
async function released(actor: CallActor): Promise<void> {
  for (let { state } = actor; !isOver(state); ) state = await actor.leaves(state.name);
  await actor.released();
}
