import { unreachable } from '../../base/assert.ts';
import { GatewayError, MAY_HAVE_ARRIVED } from '../../base/errors.ts';
import type { AgentScope } from '../../base/scope.ts';
import {
  type ActionEnd,
  abandonClaimed,
  claimAction,
  endAction,
  listActions,
} from '../../store/inline/delivery-actions.ts';
import type { InlineDomain } from '../inline-domain.ts';
import type { ReplyAction } from '../reply/action.ts';
import type { Turn } from '../turn/open-turn.ts';
import { placeOf, type TurnPlace } from '../turn/turn-place.ts';
import { Refused } from './refused.ts';
import { write } from './write.ts';

/** What an action is carried out with. */
export interface ActionContext {
  readonly domain: InlineDomain;
  /** Only the agent itself. */
  readonly scope: AgentScope;
  readonly place: TurnPlace;
}

/**
 * Carries out the actions of a stored reply in order. Each is claimed before and ended after. An action that an earlier
 * process had claimed is never repeated: it is unknown what has become of it.
 */
export async function carryOut(domain: InlineDomain, turn: Turn): Promise<void> {
  const { store, clock } = domain;
  const { accountId, agentId } = turn.place;
  const scope = { accountId, agentIds: [agentId], platforms: null };
  const context = { domain, scope, place: placeOf(turn) };
  await abandonClaimed(store.db, turn.lead.id, 'The gateway stopped meanwhile', clock.nowIso());
  for (const action of await listActions(store.db, turn.lead.id)) {
    if (!(await claimAction(store.db, action, clock.nowIso()))) continue;
    const end = await endOf(context, action.detail as unknown as ReplyAction);
    await endAction(store.db, action, end, clock.nowIso());
  }
}

/** Never rejects: what has become of an action is noted, and the others are carried out. */
async function endOf(context: ActionContext, action: ReplyAction): Promise<ActionEnd> {
  try {
    await perform(context, action);
    return { status: 'done', reason: null };
  } catch (error) {
    if (error instanceof Refused) return { status: 'refused', reason: error.message };
    if (error instanceof GatewayError) {
      const status = error.message.endsWith(MAY_HAVE_ARRIVED) ? 'unknown' : 'failed';
      return { status, reason: error.message };
    }
    context.domain.observer.workFailed(`the action ${action.kind} of a model`, error);
    return { status: 'unknown', reason: 'An internal error' };
  }
}

async function perform(context: ActionContext, action: ReplyAction): Promise<void> {
  if (context.place.kind === 'test') throw new Refused('A test carries out nothing');
  switch (action.kind) {
    case 'write':
      return await write(context, action.text);
    case 'say':
    case 'file':
    case 'accept':
    case 'refuse':
    case 'leave':
    case 'dtmf':
    case 'dm':
    case 'call_join':
      throw new Refused('Not supported yet');
    default:
      return unreachable(action);
  }
}
