import type { AgentScope } from '../../base/scope.ts';
import type { Writer } from '../../messaging/outbox/outbound-domain.ts';
import type { InlineDomain } from '../inline-domain.ts';
import type { TurnPlace } from '../turn/turn-place.ts';

/** What an action is carried out with. */
export interface ActionContext {
  readonly domain: InlineDomain;
  /** Only the agent itself. */
  readonly scope: AgentScope;
  readonly place: TurnPlace;
  readonly turnId: string;
}

/** An action is not allowed. The message says why, for the log and for the model. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Returns the scope of just this agent. */
export function scopeOfAgent(accountId: string, agentId: string): AgentScope {
  return { accountId, agentIds: [agentId], platforms: null };
}

/** The agent as the sender of a message. */
export function writerOf({ scope }: ActionContext): Writer {
  return { scope, credentialId: scope.agentIds[0]!, request: null };
}
