import type { AgentScope } from '../../base/scope.ts';
import type { Writer } from '../../messaging/outbox/outbound-domain.ts';
import { changeRows, findRow } from '../../store/database/rows.ts';
import type { InlineDomain } from '../inline-domain.ts';
import type { TurnPlace } from '../turn/open-turn.ts';

/** What an action is carried out with. */
export interface ActionContext {
  readonly domain: InlineDomain;
  /** Only the agent itself. */
  readonly scope: AgentScope;
  readonly place: TurnPlace;
  readonly turnId: string;
}

/** What one action of the turn is carried out with. */
export interface OneAction extends ActionContext {
  /** Its place in the reply, from 0. */
  readonly position: number;
}

/** An action is not allowed. The message says why, for the log and for the model. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Returns the scope of just this agent. */
export function scopeOfAgent(accountId: string, agentId: string): AgentScope {
  return { accountId, agentIds: [agentId], platforms: null };
}

/** The agent as the sender of the message that an action writes. When it is carried out again, it finds the message. */
export function writerOf({ scope, turnId: deliveryId, position }: OneAction): Writer {
  const action = { deliveryId, position };
  return {
    scope,
    credentialId: scope.agentIds[0]!,
    request: {
      note: async (db, messageId) => void (await changeRows(db, 'deliveryActions', action, { messageId })),
      written: async (db) => (await findRow(db, 'deliveryActions', action))?.messageId ?? null,
    },
  };
}
